//! Command lines as `getopt_long` reads them: abbreviated long options, clustered short ones, operands anywhere.

/// What kind of run an option is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `-i` alone.
    Initialize,
    /// Runs alone; it chooses a script.
    Script,
    /// Runs alone.
    Benchmark,
    /// Both.
    Common,
}

/// An option that the command line knows.
#[derive(Debug)]
pub(crate) struct Spec {
    /// The letter, if it has one.
    pub(crate) short: Option<char>,
    /// The long name, without dashes.
    pub(crate) long: &'static str,
    /// The argument's name for `--help`; none: it takes no argument.
    pub(crate) argument: Option<&'static str>,
    /// What kind of run it is for.
    pub(crate) kind: Kind,
    /// Whether pgbench doesn't have it.
    pub(crate) own: bool,
    /// What it does, for `--help`.
    pub(crate) help: &'static str,
}

impl Spec {
    /// As messages call it: `-c/--client`, `--partitions`.
    pub(crate) fn name(&self) -> String {
        match self.short {
            Some(short) => format!("-{short}/--{}", self.long),
            None => format!("--{}", self.long),
        }
    }
}

/// One thing found on a command line.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// An option with its argument, which is empty where it takes none.
    Option(&'static Spec, &'a str),
    /// Anything else.
    Operand(&'a str),
}

/// Reads the command line `args` (without the program's name) from left to right.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    specs: &'static [Spec],
    rest: std::slice::Iter<'a, String>,
    /// What is left of a cluster of letters.
    cluster: &'a str,
    /// After `--` there are no options.
    operands_only: bool,
}

/// What is on the command line `args`, each thing read when it is asked for; after the message of a fault comes
/// nothing that counts.
pub(crate) fn read<'a>(specs: &'static [Spec], args: &'a [String]) -> Reader<'a> {
    Reader { specs, rest: args.iter(), cluster: "", operands_only: false }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Found<'a>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.cluster.is_empty() {
            return Some(self.letter());
        }
        let arg = self.rest.next()?;
        if self.operands_only || arg == "-" || !arg.starts_with('-') {
            return Some(Ok(Found::Operand(arg)));
        }
        if arg == "--" {
            self.operands_only = true;
            return self.next();
        }
        if let Some(long) = arg.strip_prefix("--") {
            return Some(self.long(long));
        }
        self.cluster = &arg[1..];
        Some(self.letter())
    }
}

impl<'a> Reader<'a> {
    fn long(&mut self, text: &'a str) -> Result<Found<'a>, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let spec = find_long(self.specs, name, text)?;
        let long = spec.long;
        match (spec.argument, value) {
            (None, None) => Ok(Found::Option(spec, "")),
            (None, Some(_)) => Err(format!("option '--{long}' doesn't allow an argument")),
            (Some(_), Some(value)) => Ok(Found::Option(spec, value)),
            (Some(_), None) => match self.rest.next() {
                Some(value) => Ok(Found::Option(spec, value)),
                None => Err(format!("option '--{long}' requires an argument")),
            },
        }
    }

    fn letter(&mut self) -> Result<Found<'a>, String> {
        let mut letters = self.cluster.chars();
        let letter = letters.next().unwrap_or_default();
        self.cluster = letters.as_str();
        let Some(spec) = self.specs.iter().find(|s| s.short == Some(letter)) else {
            return Err(format!("invalid option -- '{letter}'"));
        };
        if spec.argument.is_none() {
            return Ok(Found::Option(spec, ""));
        }
        let attached = std::mem::take(&mut self.cluster);
        let value = if attached.is_empty() { self.rest.next().map(String::as_str) } else { Some(attached) };
        value
            .map(|value| Found::Option(spec, value))
            .ok_or_else(|| format!("option requires an argument -- '{letter}'"))
    }
}

/// The option called `name` or abbreviated so; `text` is all that stands behind the dashes. Options of our own are
/// looked for last, so that every abbreviation of pgbench's keeps its meaning.
fn find_long(specs: &'static [Spec], name: &str, text: &str) -> Result<&'static Spec, String> {
    if let Some(spec) = specs.iter().find(|s| s.long == name) {
        return Ok(spec);
    }
    let abbreviated = |own| specs.iter().filter(move |s| s.own == own && s.long.starts_with(name));
    let mut candidates: Vec<&Spec> = abbreviated(false).collect();
    if candidates.is_empty() {
        candidates = abbreviated(true).collect();
    }
    match candidates[..] {
        [] => Err(format!("unrecognized option '--{text}'")),
        [spec] => Ok(spec),
        _ => {
            let names: Vec<String> = candidates.iter().map(|s| format!("'--{}'", s.long)).collect();
            Err(format!("option '--{text}' is ambiguous; possibilities: {}", names.join(" ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, Kind, Spec, read};

    const fn spec(short: Option<char>, long: &'static str, argument: Option<&'static str>) -> Spec {
        Spec { short, long, argument, kind: Kind::Common, own: false, help: "" }
    }

    static SPECS: [Spec; 7] = [
        Spec { own: true, ..spec(None, "progress-own", None) },
        Spec { own: true, ..spec(None, "own", None) },
        spec(Some('c'), "client", Some("NUM")),
        spec(Some('C'), "connect", None),
        spec(Some('n'), "no-vacuum", None),
        spec(None, "progress", Some("NUM")),
        spec(None, "progress-timestamp", None),
    ];

    fn told(line: &str) -> String {
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match read(&SPECS, &args).collect::<Result<Vec<_>, _>>() {
            Ok(found) => found
                .iter()
                .map(|f| match f {
                    Found::Option(spec, value) => format!("{}={value}", spec.long),
                    Found::Operand(text) => format!("<{text}>"),
                })
                .collect::<Vec<_>>()
                .join(" "),
            Err(message) => message,
        }
    }

    #[test]
    fn it_reads_as_getopt_long_does() {
        for (line, expected) in [
            ("-c 5 db -n", "client=5 <db> no-vacuum="),
            ("-nCc5 --", "no-vacuum= connect= client=5"),
            ("-- -n", "<-n>"),
            ("-", "<->"),
            ("--cl=7 --cli 8", "client=7 client=8"),
            ("--client=", "client="),
            ("--progress 1 --progress-t", "progress=1 progress-timestamp="),
            ("--prog", "option '--prog' is ambiguous; possibilities: '--progress' '--progress-timestamp'"),
            ("--progress-", "progress-timestamp="),
            ("--o --progress-o", "own= progress-own="),
            ("--nosuch", "unrecognized option '--nosuch'"),
            ("--nosuch=1", "unrecognized option '--nosuch=1'"),
            ("--prog=1", "option '--prog=1' is ambiguous; possibilities: '--progress' '--progress-timestamp'"),
            ("---client", "unrecognized option '---client'"),
            ("--connect=1", "option '--connect' doesn't allow an argument"),
            ("--client", "option '--client' requires an argument"),
            ("-c", "option requires an argument -- 'c'"),
            ("-nx", "invalid option -- 'x'"),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }
}
