//! `postgresql://user@host:port/dbname?option=value`: the URL form of a connection string.

use super::Invalid;

/// The text behind the scheme, if it is such a URL.
pub(super) fn strip_scheme(text: &str) -> Option<&str> {
    text.strip_prefix("postgresql://").or_else(|| text.strip_prefix("postgres://"))
}

/// The options that the URL names, given what [`strip_scheme`] left of it; names of its query part are not checked.
///
/// Several hosts become the comma-separated lists that the keyword/value form has.
pub(super) fn parse(text: &str) -> Result<Vec<(String, String)>, Invalid> {
    let mut options = Vec::new();
    let mut put = |name: &str, value: String| options.push((name.to_owned(), value));
    let (text, query) = text.split_once('?').map_or((text, None), |(before, query)| (before, Some(query)));
    let (authority, path) = text.split_once('/').map_or((text, None), |(before, path)| (before, Some(path)));
    let hosts = match authority.split_once('@') {
        None => authority,
        Some((login, hosts)) => {
            let (user, password) = login.split_once(':').map_or((login, None), |(user, rest)| (user, Some(rest)));
            if !user.is_empty() {
                put("user", decode(user)?);
            }
            if let Some(password) = password.filter(|password| !password.is_empty()) {
                put("password", decode(password)?);
            }
            hosts
        }
    };
    let hosts = hosts.split(',').map(host_and_port).collect::<Result<Vec<_>, _>>()?;
    if hosts.iter().any(|(host, _)| !host.is_empty()) {
        put("host", hosts.iter().map(|(host, _)| host.as_str()).collect::<Vec<_>>().join(","));
    }
    if hosts.iter().any(|(_, port)| !port.is_empty()) {
        put("port", hosts.iter().map(|(_, port)| port.as_str()).collect::<Vec<_>>().join(","));
    }
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        put("dbname", decode(path)?);
    }
    for pair in query.unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or(Invalid::Url("missing `=` in its query part"))?;
        if value.contains('=') {
            return Err(Invalid::Url("an extra `=` in its query part; write `%3D`"));
        }
        let (name, value) = (decode(name)?, decode(value)?);
        // as the JDBC driver spells it
        if name == "ssl" && value == "true" {
            put("sslmode", "require".to_owned());
        } else {
            put(&name, value);
        }
    }
    Ok(options)
}

fn host_and_port(text: &str) -> Result<(String, String), Invalid> {
    let (host, rest) = match text.strip_prefix('[') {
        Some(text) => {
            let (address, rest) = text.split_once(']').ok_or(Invalid::Url("missing `]` behind an IPv6 address"))?;
            if address.is_empty() {
                return Err(Invalid::Url("an IPv6 address is empty"));
            }
            if !rest.is_empty() && !rest.starts_with(':') {
                return Err(Invalid::Url("only a port may follow an IPv6 address"));
            }
            (address, rest)
        }
        None => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    Ok((decode(host)?, decode(rest.strip_prefix(':').unwrap_or(""))?))
}

/// Resolves `%xx`.
fn decode(text: &str) -> Result<String, Invalid> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit =
            || rest.next().and_then(|digit| char::from(digit).to_digit(16)).and_then(|d| u8::try_from(d).ok());
        match (digit(), digit()) {
            (Some(0), Some(0)) => return Err(Invalid::Url("`%00` may not be part of it")),
            (Some(high), Some(low)) => bytes.push(high * 16 + low),
            _ => return Err(Invalid::Url("two hexadecimal digits must follow a `%`")),
        }
    }
    String::from_utf8(bytes).map_err(|_| Invalid::Url("what its `%` stand for is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::{parse, strip_scheme};

    fn read(url: &str) -> Vec<(String, String)> {
        parse(strip_scheme(url).unwrap()).unwrap()
    }

    fn shown(url: &str) -> String {
        read(url).iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_part_of_a_url_is_an_option() {
        assert_eq!(shown("postgresql://"), "");
        assert_eq!(shown("postgres://localhost"), "host=localhost");
        assert_eq!(
            shown("postgresql://me:p%40ss@db.example:6432/shop?sslmode=require&connect_timeout=3"),
            "user=me password=p@ss host=db.example port=6432 dbname=shop sslmode=require connect_timeout=3"
        );
        assert_eq!(shown("postgresql:///shop?host=/tmp&ssl=true"), "dbname=shop host=/tmp sslmode=require");
        assert_eq!(shown("postgresql://a:1,b,[::1]:3/x"), "host=a,b,::1 port=1,,3 dbname=x");
        assert_eq!(shown("postgresql://%2Fvar%2Frun:5433"), "host=/var/run port=5433");
    }

    #[test]
    fn what_is_malformed_is_refused() {
        for url in ["[::1", "[]", "[::1]x", "h/%zz", "h/%00", "h/%ff", "h?x", "h?x=1=2"] {
            assert!(parse(url).is_err(), "{url}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = parse(&text);
        }
    }
}
