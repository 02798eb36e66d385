//! What `outpace bench` exports is what `schema/results.schema.json` says, and the schema says enough to refuse less.

use std::process::Command;

use serde_json::{Value, json};

/// Why `value` is not what `schema` describes; knows the words of JSON Schema that ours uses, and no others.
fn violation(schema: &Value, value: &Value, at: &str) -> Option<String> {
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        let fault = |what: String| Some(format!("{at}: {what}"));
        let found = match word.as_str() {
            "$schema" | "title" => None,
            "const" => (value != rule).then(|| format!("{value} is not {rule}")).and_then(fault),
            "enum" => (!rule.as_array()?.contains(value)).then(|| format!("{value} is none of {rule}")).and_then(fault),
            "type" => {
                let types = rule.as_array().map_or_else(|| vec![rule], |types| types.iter().collect());
                let is = |name: &Value| match name.as_str() {
                    Some("object") => value.is_object(),
                    Some("array") => value.is_array(),
                    Some("string") => value.is_string(),
                    Some("number") => value.is_number(),
                    Some("integer") => value.is_u64(),
                    Some("boolean") => value.is_boolean(),
                    Some("null") => value.is_null(),
                    _ => panic!("unknown type {name}"),
                };
                (!types.into_iter().any(is)).then(|| format!("{value} is not of type {rule}")).and_then(fault)
            }
            "minimum" => {
                let low = value.as_f64().is_some_and(|value| value < rule.as_f64().unwrap());
                low.then(|| format!("{value} is below {rule}")).and_then(fault)
            }
            "exclusiveMinimum" => {
                let low = value.as_f64().is_some_and(|value| value <= rule.as_f64().unwrap());
                low.then(|| format!("{value} is not above {rule}")).and_then(fault)
            }
            "minLength" => (value.as_str().unwrap_or_default().len() < rule.as_u64()? as usize)
                .then(|| "is too short".into())
                .and_then(fault),
            "minItems" => (value.as_array().map_or(0, Vec::len) < rule.as_u64()? as usize)
                .then(|| "has too few items".into())
                .and_then(fault),
            "items" => {
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                items.iter().enumerate().find_map(|(i, item)| violation(rule, item, &format!("{at}[{i}]")))
            }
            "properties" => rule.as_object()?.iter().find_map(|(name, rule)| {
                value.get(name).and_then(|value| violation(rule, value, &format!("{at}.{name}")))
            }),
            "required" => {
                let missing =
                    rule.as_array()?.iter().find(|name| value.get(name.as_str().unwrap_or_default()).is_none());
                missing.map(|name| format!("lacks {name}")).and_then(fault)
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object()?;
                let foreign =
                    value.as_object().and_then(|object| object.keys().find(|name| !known.contains_key(*name)));
                foreign.map(|name| format!("has {name:?} besides")).and_then(fault)
            }
            other => panic!("the schema uses {other:?}, which this test does not know"),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

#[test]
fn exports_follow_the_schema() {
    let schema: Value = serde_json::from_str(include_str!("../schema/results.schema.json")).unwrap();
    let file = std::env::temp_dir().join(format!("outpace-schema-{}.json", std::process::id()));
    // A sized row, one without size, and one whose results are random.
    let filter = "hash/SHA-256/digest/64$|HKDF-SHA-256|random-bytes/fill/16$";
    let output = Command::new(env!("CARGO_BIN_EXE_outpace"))
        .args(["bench", "--filter", filter, "--export-json"])
        .arg(&file)
        .env_remove("OPENSSL_ia32cap")
        .output()
        .unwrap();
    let text = std::fs::read_to_string(&file);
    let _ = std::fs::remove_file(&file);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let results: Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert_eq!(violation(&schema, &results, "results"), None);
    assert_eq!(results["cells"].as_array().unwrap().len(), 3);

    for (pointer, value) in [
        ("/schema", json!("outpace-results/0")),
        ("/environment/tier", json!("z80")),
        ("/cells/0/size", json!("64")),
        ("/cells/0/sides/0/median_ns", json!(0)),
        ("/cells/0/sides", json!([])),
        ("/noise_floor", json!({})),
        ("/settings/extra", json!(1)),
    ] {
        let mut broken = results.clone();
        match broken.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => broken["settings"]["extra"] = value,
        }
        assert!(violation(&schema, &broken, "results").is_some(), "{pointer} is not looked at");
    }
}
