//! Connection options as they are gathered: by name, each from the strongest source that has it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use super::environment::Environment;
use super::keyword::{self, KEYWORDS, Rule};
use super::{Invalid, conninfo, service, url};

/// Texts by the name of their option; an empty text counts as not given, but hides the weaker sources.
pub(super) struct Options {
    values: HashMap<&'static str, String>,
}

/// The options that a text names (as `psql -d` takes it), in order; their names are not checked.
pub(super) fn written(text: &str) -> Result<Vec<(String, String)>, Invalid> {
    match url::strip_scheme(text) {
        Some(rest) => url::parse(rest),
        None if text.contains('=') => conninfo::parse(text),
        None if text.is_empty() => Ok(Vec::new()),
        None => Ok(vec![("dbname".to_owned(), text.to_owned())]),
    }
}

impl Options {
    /// Gathers what `text` says (as `psql -d` takes it), then the service that it or the environment names, then the
    /// environment.
    pub(super) fn gather(text: &str, environment: &Environment) -> Result<Self, Invalid> {
        let mut options = Self { values: HashMap::new() };
        // of an option written twice the last one counts
        for (name, value) in written(text)?.into_iter().rev() {
            options.put(&name, value)?;
        }
        let either = |name: &'static str, variable| options.get(name).or_else(|| environment.get(variable));
        if let Some(service) = either("service", "PGSERVICE") {
            let file = either("servicefile", "PGSERVICEFILE");
            for (name, value) in service::look_up(service, file, environment)? {
                options.put(&name, value)?;
            }
        }
        for keyword in KEYWORDS {
            if let Some(value) = keyword.variable.and_then(|variable| environment.get(variable)) {
                options.put(keyword.name, value.to_owned())?;
            }
        }
        Ok(options)
    }

    /// Takes a value unless a stronger source gave one.
    fn put(&mut self, name: &str, value: String) -> Result<(), Invalid> {
        let Some(keyword) = keyword::find(name) else {
            return Err(Invalid::Unknown { name: name.to_owned(), nearest: keyword::nearest(name) });
        };
        match keyword.rule {
            Rule::Refused(reason) if !value.is_empty() => Err(Invalid::Unsupported { name: keyword.name, reason }),
            Rule::Refused(_) | Rule::NoEffect => Ok(()),
            Rule::Used => {
                self.values.entry(keyword.name).or_insert(value);
                Ok(())
            }
        }
    }

    /// The text of an option, if it has one.
    pub(super) fn get(&self, name: &'static str) -> Option<&str> {
        debug_assert!(keyword::find(name).is_some(), "{name} is an option");
        self.values.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    pub(super) fn owned(&self, name: &'static str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    pub(super) fn path(&self, name: &'static str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// The environment variables that say the same to a program that uses libpq, without service and service file.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        KEYWORDS
            .iter()
            .filter(|keyword| keyword.name != "service" && keyword.name != "servicefile")
            .filter_map(|keyword| Some((keyword.variable?, self.owned(keyword.name)?)))
            .collect()
    }

    /// An integer, white space around it allowed.
    pub(super) fn integer(&self, name: &'static str) -> Result<Option<i32>, Invalid> {
        let Some(text) = self.get(name) else { return Ok(None) };
        match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(self.wrong(name, "an integer")),
        }
    }

    /// So many units of time; none where it is zero or less, which stands for the default.
    pub(super) fn duration(&self, name: &'static str, unit: Duration) -> Result<Option<Duration>, Invalid> {
        let number = self.integer(name)?.and_then(|number| u32::try_from(number).ok());
        Ok(number.filter(|number| *number > 0).map(|number| unit * number))
    }

    /// 0 or 1.
    pub(super) fn switch(&self, name: &'static str, default: bool) -> Result<bool, Invalid> {
        self.choice(name, default, "`0` or `1`", &[("0", false), ("1", true)])
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &'static str,
        default: T,
        expected: &'static str,
        words: &[(&str, T)],
    ) -> Result<T, Invalid> {
        let Some(text) = self.get(name) else { return Ok(default) };
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| self.wrong(name, expected))
    }

    /// The error of an option whose value doesn't fit. Not for secrets: it shows the value.
    pub(super) fn wrong(&self, name: &'static str, expected: &'static str) -> Invalid {
        Invalid::Value { name, value: self.get(name).unwrap_or("").to_owned(), expected }
    }
}
