//! Parameters of a unit as text.

use txbar_rtl::parameters::{Build, Parameters};

/// Reads `name=value` with spaces between: what `Design::list` says of a unit, with `-` or `_` in names.
pub fn read(text: &str) -> Result<Parameters, String> {
    let mut of = Parameters::default();
    for pair in text.split_whitespace() {
        let (name, value) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is no name=value"))?;
        let wrong = || format!("`{name}` of a unit cannot be `{value}`");
        let number = || value.parse::<usize>().map_err(|_| wrong());
        let switch = || value.parse::<bool>().map_err(|_| wrong());
        match name.replace('_', "-").as_str() {
            "build" => of.build = Build::ALL.into_iter().find(|build| build.name() == value).ok_or_else(wrong)?,
            "ports" => of.ports = number()?,
            "banks" => of.banks = number()?,
            "words" => of.words = number()?,
            "tag-bits" => of.tag_bits = number()?,
            "number-bits" => of.number_bits = number()?,
            "queue-depth" => of.queue_depth = number()?,
            "waiters" => of.waiters = number()?,
            "clock-ns" => [of.clock_ns, of.clock_ps] = Parameters::read_period(value).ok_or_else(wrong)?,
            "counters" => of.counters = switch()?,
            "checked" => of.checked = switch()?,
            "wake-mask" => of.wake_mask = switch()?,
            "whole-groups" => of.whole_groups = switch()?,
            _ => return Err(format!("a unit has no `{name}`: the library checks units for single threads")),
        }
    }
    of.check().map_err(|error| error.to_string())
}
