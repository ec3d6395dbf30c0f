//! Architectures and versions: the targets of a check, and their valid combinations.

use crate::ast::Version;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Architectures, without the letters behind them, and the version of the PTX ISA that brought each (PTX ISA, Release Notes).
const KNOWN: [(u32, Version); 31] = [
    (10, since(1, 0)),
    (11, since(1, 0)),
    (12, since(1, 2)),
    (13, since(1, 2)),
    (20, since(2, 0)),
    (30, since(3, 0)),
    (32, since(4, 0)),
    (35, since(3, 1)),
    (37, since(4, 1)),
    (50, since(4, 0)),
    (52, since(4, 1)),
    (53, since(4, 2)),
    (60, since(5, 0)),
    (61, since(5, 0)),
    (62, since(5, 0)),
    (70, since(6, 0)),
    (72, since(6, 1)),
    (75, since(6, 3)),
    (80, since(7, 0)),
    (86, since(7, 1)),
    (87, since(7, 4)),
    (88, since(9, 0)),
    (89, since(7, 8)),
    (90, since(7, 8)),
    (100, since(8, 6)),
    (101, since(8, 6)),
    (103, since(8, 8)),
    (107, since(9, 4)),
    (110, since(9, 0)),
    (120, since(8, 7)),
    (121, since(8, 8)),
];
/// The versions of the PTX ISA: the last minor number of each major one (PTX ISA, Release Notes).
const VERSIONS: [Version; 9] = [
    since(1, 5),
    since(2, 3),
    since(3, 2),
    since(4, 3),
    since(5, 0),
    since(6, 5),
    since(7, 8),
    since(8, 8),
    since(9, 5),
];

const fn since(major: u32, minor: u32) -> Version {
    Version { major, minor }
}

/// An architecture: `sm_80`, `sm_90a`.
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

    /// The version of the PTX ISA that brought it.
    pub fn since(self) -> Version {
        let of_number =
            KNOWN.iter().find(|(number, _)| *number == self.number).map_or(since(1, 0), |(_, since)| *since);
        of_number.max(match self.suffix {
            Some('a') => since(8, 0),
            Some(_) => since(8, 8),
            None => of_number,
        })
    }
}

/// Which architectures have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Least {
    /// The first of them: 90 for sm_90.
    number: u32,
    /// Which of those that follow.
    follow: Follow,
}

/// Which architectures besides the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Follow {
    /// All with a greater number.
    All,
    /// Those among them with a letter behind the number.
    Suffixed,
    /// Those among them with a letter and up to sm_110.
    SuffixedTo110,
    /// None.
    Only,
}

impl Least {
    /// From sm_90a on, where a letter follows the number.
    pub const SUFFIXED: Least = Least { number: 90, follow: Follow::Suffixed };

    /// From a number on.
    pub const fn sm(number: u32) -> Self {
        Self { number, follow: Follow::All }
    }

    /// By a name: `90`, `90a`, `90a..110`, `100a..110`, `107a`; nothing for another.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "90a" => Self::SUFFIXED,
            "90a..110" => Self { number: 90, follow: Follow::SuffixedTo110 },
            "100a..110" => Self { number: 100, follow: Follow::SuffixedTo110 },
            "107a" => Self { number: 107, follow: Follow::Only },
            number => Self::sm(number.parse().ok()?),
        })
    }

    /// Whether an architecture is one of them.
    pub fn has(self, target: Target) -> bool {
        target.number >= self.number
            && match self.follow {
                Follow::All => true,
                Follow::Suffixed => target.suffix.is_some(),
                Follow::SuffixedTo110 => target.suffix.is_some() && target.number < 120,
                Follow::Only => target.number == self.number && target.suffix.is_some(),
            }
    }

    /// The first of them: `sm_90`.
    pub fn first(self) -> String {
        let suffix = if self.follow == Follow::All { "" } else { "a" };
        format!("sm_{}{suffix}", self.number)
    }
}

impl fmt::Display for Least {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.first())?;
        f.write_str(match self.follow {
            Follow::All => " or higher",
            Follow::Suffixed => " or higher with a letter behind the number",
            Follow::SuffixedTo110 => " or another with a letter up to sm_110",
            Follow::Only => "",
        })
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
    /// Text given.
    said: String,
}

/// Every architecture, for errors.
fn known() -> String {
    let names: Vec<String> = KNOWN.iter().map(|(number, _)| format!("sm_{number}")).collect();
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
        let (number, _) = KNOWN.into_iter().find(|(number, _)| number.to_string() == digits).ok_or_else(unknown)?;
        let least = match suffix {
            Some('a') => 90,
            Some(_) => 100,
            None => 0,
        };
        if number < least { Err(unknown()) } else { Ok(Self { number, suffix }) }
    }
}

/// Sees that a version of the PTX ISA exists, and has an architecture.
///
/// # Errors
/// What is wrong, and what to write in its place.
pub fn go_together(version: Version, target: Option<Target>) -> Result<(), (String, String)> {
    let last = VERSIONS[VERSIONS.len() - 1];
    let exists = VERSIONS.iter().any(|known| known.major == version.major && version.minor <= known.minor);
    // of a later toolkit: what it has added is not known, all else is as it was; far later is a slip
    let is_later = version > last && version.major <= last.major + 1;
    if !exists && !is_later {
        let what = format!("there is no version {version} of the PTX ISA that is known here");
        return Err((what, format!("{last} is the last that is known; barriers are in 7.0 and later")));
    }
    match target.filter(|target| version < target.since()) {
        None => Ok(()),
        Some(target) => {
            let since = target.since();
            Err((
                format!("PTX ISA {version} does not have {target}"),
                format!("{target} needs `.version {since}` or later"),
            ))
        }
    }
}

/// A text that is no version of the PTX ISA.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{said}` is no version of the PTX ISA; write it as in `8.6`")]
pub struct UnknownVersion {
    /// Text given.
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
    fn versions_know_the_architectures_of_their_time() {
        let goes = |version: &str, target: &str| {
            go_together(parse_version(version).expect(version), Some(target.parse().expect(target)))
        };
        for (target, since, before) in [
            ("sm_80", "7.0", "6.5"),
            ("sm_86", "7.1", "7.0"),
            ("sm_90", "7.8", "7.7"),
            ("sm_90a", "8.0", "7.8"),
            ("sm_100", "8.6", "8.5"),
            ("sm_100f", "8.8", "8.7"),
            ("sm_120a", "8.7", "8.6"),
            ("sm_121", "8.8", "8.7"),
            ("sm_110f", "9.0", "8.8"),
        ] {
            assert_eq!(goes(since, target), Ok(()), "{target}");
            assert_eq!(goes("9.5", target), Ok(()), "{target}");
            let (what, help) = goes(before, target).expect_err(target);
            assert_eq!(what, format!("PTX ISA {before} does not have {target}"));
            assert_eq!(help, format!("{target} needs `.version {since}` or later"));
        }
        for version in ["9.6", "10.0"] {
            assert_eq!(goes(version, "sm_90a"), Ok(()), "{version} is later than those that are known");
        }
        for version in ["99.0", "11.0", "7.9", "5.1", "6.6"] {
            let (what, _) = go_together(parse_version(version).expect("two numbers"), None).expect_err(version);
            assert!(what.starts_with(&format!("there is no version {version} ")), "{what}");
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
