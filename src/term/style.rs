//! Colors by meaning.

/// What a piece of text means to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// The title of a section or a column.
    Heading,
    /// A figure that the reader came for.
    Value,
    /// Better than what it is compared with.
    Better,
    /// Worse than what it is compared with.
    Worse,
    /// There for completeness.
    Muted,
    /// Something failed.
    Error,
    /// Something makes the figures doubtful.
    Warning,
}

/// `--color`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// How tones look. The plain style shows the same text without colors; no meaning is in a color alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    color: bool,
}

impl Style {
    /// Without colors.
    pub fn plain() -> Self {
        Self { color: false }
    }

    /// With colors.
    pub fn colored() -> Self {
        Self { color: true }
    }

    /// The style for a stream: `choice` is `--color`, `variable` reads the environment (`NO_COLOR`,
    /// `CLICOLOR_FORCE`, `TERM`), `terminal` says whether the stream is one.
    pub fn choose(choice: ColorChoice, variable: impl Fn(&str) -> Option<String>, terminal: bool) -> Self {
        let set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto if variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") => {
                true
            }
            ColorChoice::Auto => terminal && variable("TERM").as_deref() != Some("dumb"),
        };
        Self { color }
    }

    /// `text` in the look of `tone`.
    pub fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Plain => "",
            Tone::Heading => "1",
            Tone::Value => "36",
            Tone::Better => "32",
            Tone::Worse | Tone::Warning => "33",
            Tone::Muted => "2",
            Tone::Error => "31",
        };
        if self.color && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// A text as the plain style has it.
pub fn without_color(text: &str) -> String {
    let mut escaped = false;
    let visible = |c: &char| {
        let was = escaped;
        escaped = *c == '\x1b' || (was && *c != 'm');
        !was && !escaped
    };
    text.chars().filter(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(choice: ColorChoice, variables: &[(&str, &str)], terminal: bool) -> Style {
        let find = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        Style::choose(choice, find, terminal)
    }

    #[test]
    fn the_flag_beats_the_environment_and_the_environment_beats_the_terminal() {
        assert_eq!(chosen(ColorChoice::Auto, &[], true), Style::colored());
        assert_eq!(chosen(ColorChoice::Auto, &[], false), Style::plain());
        assert_eq!(chosen(ColorChoice::Auto, &[("NO_COLOR", "1")], true), Style::plain());
        assert_eq!(chosen(ColorChoice::Auto, &[("NO_COLOR", "")], true), Style::colored());
        assert_eq!(chosen(ColorChoice::Auto, &[("CLICOLOR_FORCE", "1")], false), Style::colored());
        assert_eq!(chosen(ColorChoice::Auto, &[("CLICOLOR_FORCE", "0")], false), Style::plain());
        assert_eq!(chosen(ColorChoice::Auto, &[("TERM", "dumb")], true), Style::plain());
        assert_eq!(chosen(ColorChoice::Always, &[("NO_COLOR", "1")], false), Style::colored());
        assert_eq!(chosen(ColorChoice::Never, &[("CLICOLOR_FORCE", "1")], true), Style::plain());
    }
}
