//! Reader for NIST's CAVP `.rsp` files: `Name = value` lines, records split by blank lines, `[Name = value, …]` sections.

use std::collections::HashMap;

/// One test: its own fields and those of the section it stands in.
#[derive(Debug)]
pub struct Record(HashMap<String, String>);

impl Record {
    /// The text of a field.
    ///
    /// # Panics
    /// If the record has no such field.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("no field {name:?} among {:?}", self.0.keys()))
    }

    /// The field if it is there.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A field of hexadecimal digits.
    #[must_use]
    pub fn hex(&self, name: &str) -> Vec<u8> {
        crate::hex(self.text(name))
    }

    /// A decimal field.
    ///
    /// # Panics
    /// If it is not a number.
    #[must_use]
    pub fn number(&self, name: &str) -> usize {
        self.text(name).parse().unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// The records of a file, in order.
#[must_use]
pub fn rsp(text: &str) -> Vec<Record> {
    let mut section: HashMap<String, String> = HashMap::new();
    let mut in_section_header = false;
    let mut fields: HashMap<String, String> = HashMap::new();
    let mut records = Vec::new();
    for line in text.lines().chain([""]) {
        let line = line.trim();
        if let Some(inner) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            // Consecutive headers belong together; a header after records starts a new section.
            if !in_section_header {
                section.clear();
                in_section_header = true;
            }
            for field in inner.split(',') {
                let (name, value) = field.split_once('=').unwrap_or((field, ""));
                section.insert(name.trim().into(), value.trim().into());
            }
        } else if line.is_empty() {
            if !fields.is_empty() {
                let mut all = section.clone();
                all.extend(fields.drain());
                records.push(Record(all));
            }
        } else if !line.starts_with('#') {
            in_section_header = false;
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            fields.insert(name.trim().into(), value.trim().into());
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_records() {
        let text =
            "# comment\n[L = 32]\n[M = 4]\n\nLen = 8\nMsg = d3\n\nLen = 0\nMsg = 00\nFAIL\n\n[L = 20]\n\nMD = 0a0b\n";
        let records = rsp(text);
        assert_eq!(records.len(), 3);
        assert_eq!((records[0].number("L"), records[0].number("M"), records[0].hex("Msg")), (32, 4, vec![0xd3]));
        assert!(records[1].get("FAIL").is_some() && records[0].get("FAIL").is_none());
        assert_eq!((records[2].number("L"), records[2].get("M"), records[2].hex("MD")), (20, None, vec![10, 11]));
    }
}
