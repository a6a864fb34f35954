//! `load`: what is put on the server, also as far as a phase says it again.

use super::Error;
use super::node::{Node, NodeKind, Scalar};
use super::quantity::Quantity::{Counts, Duration, Durations, Period, Rates, Whole};
use super::read::{Faults, Fields, Named, Read};
use super::shape::{Sections, Shape};
use crate::source::Span;

/// The keys of `load`; in a phase the same keys override them.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "each is named after its key; docs/reference/scenario.md describes them")]
pub struct LoadSpec {
    pub mix: Option<Named<Scalar>>,
    pub clients: Option<Scalar>,
    pub replicas: Option<Scalar>,
    pub threads: Option<Scalar>,
    pub protocol: Option<Scalar>,
    pub connections: Option<Scalar>,
    pub pool_timeout: Option<Scalar>,
    pub pool_reset: Option<Scalar>,
    pub session: Option<SessionSpec>,
    pub url: Option<Scalar>,
    pub timeout: Option<Scalar>,
    pub max_tries: Option<Scalar>,
    pub retry: Option<Vec<Scalar>>,
    pub retry_delay: Option<DelaySpec>,
    pub on_error: Option<Scalar>,
    pub latency_limit: Option<Scalar>,
    pub every: Option<Scalar>,
    pub think: Option<DelaySpec>,
    pub rate: Option<Scalar>,
    pub arrivals: Option<Scalar>,
    pub grace: Option<Scalar>,
    pub duration: Option<Scalar>,
    pub transactions: Option<Scalar>,
    pub transactions_per_client: Option<Scalar>,
    /// Whether faults were found in it; a key that is missing then may be one that was misspelt.
    pub faulty: bool,
}

impl LoadSpec {
    /// This load with what `over` says again laid over it. When it ends is said as a whole.
    #[must_use]
    pub fn with(&self, over: &Self) -> Self {
        let over = over.clone();
        let ends = over.ends().next().is_some();
        let base = |key: &Option<Scalar>| if ends { None } else { key.clone() };
        Self {
            mix: over.mix.or_else(|| self.mix.clone()),
            clients: over.clients.or_else(|| self.clients.clone()),
            replicas: over.replicas.or_else(|| self.replicas.clone()),
            threads: over.threads.or_else(|| self.threads.clone()),
            protocol: over.protocol.or_else(|| self.protocol.clone()),
            connections: over.connections.or_else(|| self.connections.clone()),
            pool_timeout: over.pool_timeout.or_else(|| self.pool_timeout.clone()),
            pool_reset: over.pool_reset.or_else(|| self.pool_reset.clone()),
            session: over.session.or_else(|| self.session.clone()),
            url: over.url.or_else(|| self.url.clone()),
            timeout: over.timeout.or_else(|| self.timeout.clone()),
            max_tries: over.max_tries.or_else(|| self.max_tries.clone()),
            retry: over.retry.or_else(|| self.retry.clone()),
            retry_delay: over.retry_delay.or_else(|| self.retry_delay.clone()),
            on_error: over.on_error.or_else(|| self.on_error.clone()),
            latency_limit: over.latency_limit.or_else(|| self.latency_limit.clone()),
            every: over.every.or_else(|| self.every.clone()),
            think: over.think.or_else(|| self.think.clone()),
            rate: over.rate.or_else(|| self.rate.clone()),
            arrivals: over.arrivals.or_else(|| self.arrivals.clone()),
            grace: over.grace.or_else(|| self.grace.clone()),
            duration: over.duration.or_else(|| base(&self.duration)),
            transactions: over.transactions.or_else(|| base(&self.transactions)),
            transactions_per_client: over.transactions_per_client.or_else(|| base(&self.transactions_per_client)),
            faulty: over.faulty || self.faulty,
        }
    }

    /// The keys that say when a phase ends, as far as they are there.
    pub fn ends(&self) -> impl Iterator<Item = (&'static str, &Scalar)> {
        let keys = [
            ("duration", &self.duration),
            ("transactions", &self.transactions),
            ("transactions_per_client", &self.transactions_per_client),
        ];
        keys.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)))
    }

    /// Reads the keys of a load among those of another section.
    pub(super) fn read_fields(fields: &mut Fields<'_, '_>) -> Self {
        Self {
            mix: fields.get_only("mix", Shape::Map(Box::new(Shape::Quantity(Whole(0))))),
            clients: fields.quantity("clients", Counts(1)),
            replicas: fields.quantity("replicas", Whole(1)),
            threads: fields.quantity("threads", Whole(1)),
            protocol: fields.choice("protocol", &["simple", "extended", "prepared"]),
            connections: fields
                .get_only("connections", Shape::Choice(&["per_client", "per_transaction"]).or_quantity(Whole(1))),
            pool_timeout: fields.quantity("pool_timeout", Duration),
            pool_reset: fields.choice("pool_reset", &["none", "discard all"]),
            session: fields.get("session"),
            url: fields.get("url"),
            timeout: fields.quantity("timeout", Period),
            max_tries: fields.quantity("max_tries", Whole(0)),
            retry: fields.get("retry"),
            retry_delay: fields.get("retry_delay"),
            on_error: fields.choice("on_error", &["continue", "abort_client", "abort_run", "pgbench"]),
            latency_limit: fields.quantity("latency_limit", Period),
            every: fields.quantity("every", Duration),
            think: fields.get("think"),
            rate: fields.quantity("rate", Rates),
            arrivals: fields.choice("arrivals", &["poisson", "even", "burst"]),
            grace: fields.get_only("grace", Shape::Word(&["unlimited"]).or_quantity(Duration)),
            duration: fields.quantity("duration", Period),
            transactions: fields.quantity("transactions", Whole(1)),
            transactions_per_client: fields.quantity("transactions_per_client", Whole(1)),
            faulty: false,
        }
    }
}

impl Read for LoadSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "`load`", errors)?;
        let mut spec = Self::read_fields(&mut fields);
        spec.faulty = fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("`load`")
    }
}

/// `session`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionSpec {
    /// Settings given at connection start.
    pub settings: Named<Scalar>,
    /// Statements that a new session runs first.
    pub on_connect: Vec<Scalar>,
    /// Another role.
    pub user: Option<Scalar>,
    /// Its password, as `${VARIABLE}`.
    pub password: Option<Scalar>,
}

impl Read for SessionSpec {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, "`session`", errors)?;
        let spec = Self {
            settings: fields.or_default("settings"),
            on_connect: fields.or_default("on_connect"),
            user: fields.get("user"),
            password: fields.get("password"),
        };
        fields.close();
        Some(spec)
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("`session`")
    }
}

/// A pause: a duration, or a distribution of them.
#[derive(Debug, Clone, PartialEq)]
pub enum DelaySpec {
    /// `1s`
    Constant(Scalar),
    /// `{uniform: 1s..3s}`
    Uniform(Scalar),
    /// `{exponential: {mean: 1s}}`
    Exponential {
        /// Its mean.
        mean: Scalar,
    },
    /// `{normal: {mean: 1s, stddev: 200ms}}`
    Normal {
        /// Its mean.
        mean: Scalar,
        /// Its standard deviation.
        stddev: Scalar,
    },
}

impl DelaySpec {
    /// Where it was written.
    pub fn span(&self) -> Span {
        match self {
            Self::Constant(scalar) | Self::Uniform(scalar) => scalar.span,
            Self::Exponential { mean } | Self::Normal { mean, .. } => mean.span,
        }
    }
}

impl Read for DelaySpec {
    fn read(node: &Node, what: &str, errors: &mut Faults) -> Option<Self> {
        if let NodeKind::Scalar(duration) = &node.kind {
            return Some(Self::Constant(duration.clone()));
        }
        let mut fields = Fields::open(node, "a distribution", errors)?;
        let uniform = fields.quantity("uniform", Durations);
        let exponential: Option<Exponential> = fields.get("exponential");
        let normal: Option<Normal> = fields.get("normal");
        fields.close();
        match (uniform, exponential, normal) {
            (Some(range), None, None) => Some(Self::Uniform(range)),
            (None, Some(Exponential { mean }), None) => Some(Self::Exponential { mean }),
            (None, None, Some(Normal { mean, stddev })) => Some(Self::Normal { mean, stddev }),
            (uniform, exponential, normal) => {
                if uniform.is_some() || exponential.is_some() || normal.is_some() || node.entries().is_empty() {
                    let expected = "a duration or one distribution, such as `{uniform: 1s..3s}`";
                    let section = what.to_owned();
                    let found = "not one of them";
                    errors.push(Error::WrongType { section, expected, found, span: node.span, form: None });
                }
                None
            }
        }
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>("a distribution").or_quantity(Duration)
    }
}

/// What the keys below `exponential` are a section of; a column has one that takes numbers.
const EXPONENTIAL: &str = "`exponential` of a pause";

/// The same of `normal`.
const NORMAL: &str = "`normal` of a pause";

/// `exponential`
struct Exponential {
    mean: Scalar,
}

impl Read for Exponential {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, EXPONENTIAL, errors)?;
        let mean = fields.need_quantity("mean", Duration, "give the mean: `{mean: 10ms}`");
        fields.close();
        Some(Self { mean: mean? })
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>(EXPONENTIAL)
    }
}

/// `normal`
struct Normal {
    mean: Scalar,
    stddev: Scalar,
}

impl Read for Normal {
    fn read(node: &Node, _: &str, errors: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(node, NORMAL, errors)?;
        let mean = fields.need_quantity("mean", Duration, "give the mean: `{mean: 1s, stddev: 200ms}`");
        let stddev =
            fields.need_quantity("stddev", Duration, "give the standard deviation: `{mean: 1s, stddev: 200ms}`");
        fields.close();
        Some(Self { mean: mean?, stddev: stddev? })
    }

    fn shape(sections: &mut Sections) -> Shape {
        sections.section::<Self>(NORMAL)
    }
}
