//! Connection strings that may be shown.

use super::{Invalid, options};

/// What a connection string says, its secrets left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicOptions {
    /// Names and values, in order.
    pub options: Vec<(String, String)>,
    /// Whether it had any secret.
    pub has_secret: bool,
}

/// Options that nobody is to see.
const SECRETS: [&str; 5] = ["password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret"];

/// The options that a connection string, as `psql -d` takes it, names itself; nothing else is looked at.
pub fn public_options(text: &str) -> Result<PublicOptions, Invalid> {
    let written = options::written(text)?;
    let all = written.len();
    let options: Vec<_> = written.into_iter().filter(|(name, _)| !SECRETS.contains(&name.as_str())).collect();
    Ok(PublicOptions { has_secret: options.len() < all, options })
}

#[cfg(test)]
mod tests {
    use super::public_options;

    #[test]
    fn a_secret_in_any_form_is_left_out_and_told_of() {
        for text in [
            "postgres://me:s3cret@h/d?sslpassword=s3cret",
            "user=me password='s3cret' host=h dbname=d sslpassword=s3cret",
        ] {
            let public = public_options(text).unwrap();
            assert!(public.has_secret && !format!("{public:?}").contains("s3cret"), "{public:?}");
            assert_eq!(public.options.len(), 3);
        }
        let public = public_options("shop").unwrap();
        assert_eq!((public.options, public.has_secret), (vec![("dbname".to_owned(), "shop".to_owned())], false));
    }
}
