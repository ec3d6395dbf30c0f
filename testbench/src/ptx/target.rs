//! Architectures and versions: what a barrier instruction is checked for.

use crate::ptx::ast::Version;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Architectures of the PTX ISA, without the letters behind them.
const KNOWN: [u32; 30] = [
    10, 11, 12, 13, 20, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110,
    120, 121,
];

/// An architecture: `sm_80`, `sm_90a`. What it can do depends on its number alone, as far as barriers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// 90 for sm_90a.
    pub number: u32,
    /// `a` (that architecture only), `f` (its family) or nothing.
    pub suffix: Option<char>,
}

impl Target {
    /// `sm_` and a number.
    pub const fn sm(number: u32) -> Self {
        Self { number, suffix: None }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "sm_{}", self.number)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

/// A text that is no architecture.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no target `{said}`; known are {}", known())]
pub struct UnknownTarget {
    /// What was said.
    said: String,
}

/// Every architecture, for errors.
fn known() -> String {
    let names: Vec<String> = KNOWN.iter().map(|number| format!("sm_{number}")).collect();
    format!("{}, from sm_90 on with `a` and from sm_100 on with `f` behind them too", names.join(", "))
}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(text: &str) -> Result<Self, UnknownTarget> {
        let unknown = || UnknownTarget { said: text.to_owned() };
        let name = text.strip_prefix("sm_").ok_or_else(unknown)?;
        let (digits, suffix) = match name.strip_suffix(['a', 'f']) {
            Some(digits) => (digits, name.chars().next_back()),
            None => (name, None),
        };
        let number = KNOWN.into_iter().find(|number| number.to_string() == digits).ok_or_else(unknown)?;
        let least = match suffix {
            Some('a') => 90,
            Some(_) => 100,
            None => 0,
        };
        if number < least { Err(unknown()) } else { Ok(Self { number, suffix }) }
    }
}

/// A text that is no version of the PTX ISA.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{said}` is no version of the PTX ISA; write it as in `8.6`")]
pub struct UnknownVersion {
    /// What was said.
    said: String,
}

/// Reads a version of the PTX ISA: two numbers with a dot between them.
///
/// # Errors
/// It is something else.
pub fn parse_version(text: &str) -> Result<Version, UnknownVersion> {
    let number = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => digits.parse().ok().filter(|number: &u32| *number < 100),
        false => None,
    };
    let version = text.split_once('.').and_then(|(major, minor)| {
        Some(Version { major: number(major).filter(|major| *major > 0)?, minor: number(minor)? })
    });
    version.ok_or_else(|| UnknownVersion { said: text.to_owned() })
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_what_they_are_called() {
        for text in
            ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_120a"]
        {
            assert_eq!(text.parse::<Target>().expect(text).to_string(), text);
        }
        assert!("sm_90a".parse::<Target>().expect("known") > Target::sm(89));
        assert!("sm_100".parse::<Target>().expect("known") > Target { number: 90, suffix: Some('a') });
    }

    #[test]
    fn other_targets_are_refused_with_what_is_known() {
        for text in
            ["", "sm_", "sm_91", "90", "sm90", "SM_90", "sm_80a", "sm_90f", "sm_090", "sm_+90", "compute_90", "sm_90aa"]
        {
            let message = text.parse::<Target>().expect_err(text).to_string();
            assert!(message.starts_with(&format!("there is no target `{text}`; known are sm_10, ")), "{message}");
            assert!(message.contains("sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100"), "{message}");
        }
    }

    #[test]
    fn versions_are_two_numbers() {
        for text in ["7.0", "8.6", "9.1"] {
            assert_eq!(parse_version(text).expect(text).to_string(), text);
        }
        for text in ["", "8", "8.", ".6", "8.6.1", "8,6", "+8.6", "8.-6", "0.1", "8.100", "99999999999.0", "v8.6"] {
            let message = parse_version(text).expect_err(text).to_string();
            assert!(message.starts_with(&format!("`{text}` is no version")), "{message}");
        }
    }
}
