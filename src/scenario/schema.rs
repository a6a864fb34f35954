//! The language as a JSON Schema, for editors.
//!
//! Draft 2020-12, of which only what draft 7 has as well is used besides `$defs`: editors' validators know the one or the
//! other. Keys and kinds come from the readers, descriptions from the reference page.

use serde_json::{Map, Value, json};

use super::column::{GENERATORS, OPTIONS};
use super::document::Scenario;
use super::quantity::Quantity;
use super::read::Read;
use super::reference::describe;
use super::shape::{Key, Sections, Shape};
use super::step::STEP_KINDS;

/// The section that a document is.
const ROOT: &str = "a scenario";

/// Names of the author's choosing.
const NAME: &str = "^[a-z_][a-z0-9_]*$";

/// The JSON Schema of a scenario. A profile is a part of one, so that every section stands there twice: whole, and with
/// nothing needed.
pub fn json_schema() -> Value {
    let mut sections = Sections::default();
    Scenario::shape(&mut sections);
    let mut definitions = Map::new();
    for part in [false, true] {
        for (section, keys) in sections.iter().filter(|(section, _)| part || *section != ROOT) {
            definitions.insert(definition(section, part), object(section, keys, part));
        }
    }
    definitions.extend(Quantity::KINDS.map(|kind| (kind.name().to_owned(), kind.definition())));
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "reprise scenario",
        "description": "A declarative PostgreSQL workload: schema, data, transactions, load, and what was published about it.",
    });
    if let (Value::Object(root), Some(keys)) = (&mut root, sections.keys(ROOT)) {
        if let Value::Object(scenario) = object(ROOT, keys, false) {
            root.extend(scenario);
        }
        root.insert("$defs".to_owned(), definitions.into());
    }
    root
}

/// The name of a section's definition: `a phase` → `phase`, of a profile `part_of_phase`.
fn definition(section: &str, part: bool) -> String {
    let name = section.trim_start_matches("a ").replace('`', "").replace(' ', "_");
    if part { format!("part_of_{name}") } else { name }
}

fn object(section: &str, keys: &[Key], part: bool) -> Value {
    let mut properties = Map::new();
    for key in keys {
        let mut property = shape(&key.shape, part);
        let description = describe(section, key.name);
        if let Value::Object(property) = &mut property
            && !description.is_empty()
        {
            property.insert("description".to_owned(), description.into());
        }
        properties.insert(key.name.to_owned(), property);
    }
    if part {
        properties
            .entry("skip")
            .or_insert_with(|| json!({"type": "boolean", "description": describe("a profile", "skip")}));
    }
    let mut object = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let needed: Vec<&str> = keys.iter().filter(|key| key.needed && !part).map(|key| key.name).collect();
    if !needed.is_empty() {
        object["required"] = needed.into();
    }
    if !part {
        restrict(section, &mut object);
    }
    object
}

/// A section with one of several keys says what it is by it, and some keys go with some of them alone.
fn restrict(section: &str, object: &mut Value) {
    let has = |kind: &&str| json!({"required": [kind]});
    let one_of = |kinds: &[&str]| -> Value { kinds.iter().map(has).collect() };
    match section {
        "a step" => object["oneOf"] = one_of(&STEP_KINDS),
        "a column" => {
            object["oneOf"] = one_of(&GENERATORS);
            let bound = OPTIONS.iter().filter(|(_, owners)| !owners.is_empty());
            let rule =
                |(option, owners): &(&str, &[&str])| json!({"if": has(option), "then": {"anyOf": one_of(owners)}});
            object["allOf"] = bound.map(rule).collect();
        }
        _ => {}
    }
}

fn shape(shape: &Shape, part: bool) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Value => json!({"type": ["string", "number", "boolean"]}),
        Shape::Quantity(quantity) => {
            let mut value = json!({"$ref": format!("#/$defs/{}", quantity.name())});
            quantity.bounds().for_each(|(key, bound)| value[key] = bound);
            value
        }
        Shape::Name => json!({"type": "string", "pattern": NAME}),
        Shape::Number(number) => json!({"const": number}),
        Shape::Word(words) => json!({"enum": words}),
        Shape::Choice(words) => {
            let expression = json!({"type": "string", "pattern": ":", "description": "an expression, such as `:name`"});
            json!({"anyOf": [{"enum": words.iter().map(|word| literal(word)).collect::<Vec<_>>()}, expression]})
        }
        Shape::List(item) => json!({"type": "array", "items": self::shape(item, part)}),
        Shape::Map(value) => json!({"type": "object", "additionalProperties": self::shape(value, part)}),
        Shape::Section(section) => reference(section, part),
        Shape::Part(section) => reference(section, true),
        Shape::Either(shapes) => {
            json!({"anyOf": shapes.iter().map(|shape| self::shape(shape, part)).collect::<Vec<_>>()})
        }
        Shape::PhaseItem(kinds) => {
            let has = |kind: &&str| json!({"required": [kind]});
            json!({
                "if": {"anyOf": kinds.iter().map(has).collect::<Vec<_>>()},
                "then": reference("a step", part),
                "else": reference("a phase", part),
            })
        }
    }
}

fn reference(section: &str, part: bool) -> Value {
    json!({"$ref": format!("#/$defs/{}", definition(section, part))})
}

/// A word as YAML reads it.
fn literal(word: &str) -> Value {
    match word {
        "true" => true.into(),
        "false" => false.into(),
        word => word.into(),
    }
}
