//! Command lines as `getopt_long` reads them: abbreviated long options, clustered short ones, operands anywhere.

/// An option that the command line knows.
#[derive(Debug)]
pub(crate) struct Spec {
    /// The letter, if it has one.
    pub(crate) short: Option<char>,
    /// The long name, without dashes; empty where there is only a letter.
    pub(crate) long: &'static str,
    /// The argument's name for `--help`; none: it takes no argument.
    pub(crate) argument: Option<&'static str>,
    /// What it does, for `--help`; none: not supported yet.
    pub(crate) help: Option<&'static str>,
}

impl Spec {
    /// As messages call it: `-c/--client`, `--partitions`.
    pub(crate) fn name(&self) -> String {
        match self.short {
            Some(short) if self.long.is_empty() => format!("-{short}"),
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

/// Everything on the command line `args` (without the program's name) in order; the message of the first fault.
pub(crate) fn read<'a>(specs: &'static [Spec], args: &'a [String]) -> Result<Vec<Found<'a>>, String> {
    let mut found = Vec::new();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        if arg == "--" {
            found.extend(rest.by_ref().map(Found::Operand));
        } else if let Some(long) = arg.strip_prefix("--") {
            found.push(read_long(specs, long, &mut rest)?);
        } else if arg.len() > 1 && arg.starts_with('-') {
            read_cluster(specs, &arg[1..], &mut rest, &mut found)?;
        } else {
            found.push(Found::Operand(arg));
        }
    }
    Ok(found)
}

fn read_long<'a>(
    specs: &'static [Spec],
    text: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<Found<'a>, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let spec = find_long(specs, name)?;
    let long = spec.long;
    match (spec.argument, value) {
        (None, None) => Ok(Found::Option(spec, "")),
        (None, Some(_)) => Err(format!("option '--{long}' doesn't allow an argument")),
        (Some(_), Some(value)) => Ok(Found::Option(spec, value)),
        (Some(_), None) => match rest.next() {
            Some(value) => Ok(Found::Option(spec, value)),
            None => Err(format!("option '--{long}' requires an argument")),
        },
    }
}

fn find_long(specs: &'static [Spec], name: &str) -> Result<&'static Spec, String> {
    if let Some(spec) = specs.iter().find(|s| !s.long.is_empty() && s.long == name) {
        return Ok(spec);
    }
    let candidates: Vec<&Spec> = specs.iter().filter(|s| !s.long.is_empty() && s.long.starts_with(name)).collect();
    match candidates[..] {
        [] => Err(format!("unrecognized option '--{name}'")),
        [spec] => Ok(spec),
        _ => {
            let names: Vec<String> = candidates.iter().map(|s| format!("'--{}'", s.long)).collect();
            Err(format!("option '--{name}' is ambiguous; possibilities: {}", names.join(" ")))
        }
    }
}

fn read_cluster<'a>(
    specs: &'static [Spec],
    cluster: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
    found: &mut Vec<Found<'a>>,
) -> Result<(), String> {
    for (at, letter) in cluster.char_indices() {
        let Some(spec) = specs.iter().find(|s| s.short == Some(letter)) else {
            return Err(format!("invalid option -- '{letter}'"));
        };
        if spec.argument.is_none() {
            found.push(Found::Option(spec, ""));
            continue;
        }
        let attached = &cluster[at + letter.len_utf8()..];
        let value = if attached.is_empty() { rest.next() } else { Some(attached) };
        let value = value.ok_or_else(|| format!("option requires an argument -- '{letter}'"))?;
        found.push(Found::Option(spec, value));
        break;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Found, Spec, read};

    const fn spec(short: Option<char>, long: &'static str, argument: Option<&'static str>) -> Spec {
        Spec { short, long, argument, help: Some("") }
    }

    static SPECS: [Spec; 5] = [
        spec(Some('c'), "client", Some("NUM")),
        spec(Some('C'), "connect", None),
        spec(Some('n'), "no-vacuum", None),
        spec(None, "progress", Some("NUM")),
        spec(None, "progress-timestamp", None),
    ];

    fn told(line: &str) -> String {
        let args: Vec<String> = line.split(' ').map(str::to_owned).collect();
        match read(&SPECS, &args) {
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
            ("--nosuch", "unrecognized option '--nosuch'"),
            ("--connect=1", "option '--connect' doesn't allow an argument"),
            ("--client", "option '--client' requires an argument"),
            ("-c", "option requires an argument -- 'c'"),
            ("-nx", "invalid option -- 'x'"),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }
}
