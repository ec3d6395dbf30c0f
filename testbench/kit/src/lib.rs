//! The scoreboard and the reference model of txbar for testbenches in C and SystemVerilog.
//!
//! ```text
//!   your testbench ── drives ──► the exported unit
//!                                   │ all pins, each cycle
//!                 NAME_check.sv ◄───┘   (in the package of `txbar verilog --package NAME`)
//!                       │ DPI-C: include/txbar_kit.h
//!                       ▼
//!                  this library: monitor and scoreboard, as in txbar's own testbench
//! ```
//! Traffic, random or from a file that `txbar sim --replay` plays too, comes from here as values of pins.
//!
//! Functions never unwind into C: what is wrong is an error code, and a message.

mod parameters;
mod traffic;

pub use traffic::*;

use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use txbar_rtl::status::Status;
use txbar_testbench::engine::watched::Watched;
use txbar_testbench::model::{self, Fault, Outcome};
use txbar_testbench::request::Request;

/// A unit that is checked: `txbar_check` in C.
pub struct Check {
    unit: Result<Watched, String>,
    message: CString,
    covered: CString,
    /// Something was wrong: nothing is checked any more.
    failed: bool,
}

impl Check {
    fn fails(&mut self, what: String) {
        self.failed = true;
        // a message holds no NUL
        self.message = CString::new(what.replace('\0', " ")).unwrap_or_default();
    }
}

/// Begins to check a unit: `parameters` are those of its manifest, as `name=value` with spaces between. Never null: if they are wrong, the
/// first [`txbar_check_clock`] says so.
///
/// # Safety
/// `parameters` is a string that ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_new(parameters: *const c_char) -> *mut Check {
    // SAFETY: as promised
    let text = unsafe { CStr::from_ptr(parameters) }.to_string_lossy().into_owned();
    let unit = parameters::read(&text).map(Watched::new);
    Box::into_raw(Box::new(Check { unit, message: CString::default(), covered: CString::default(), failed: false }))
}

/// The number of a pin by its name, or -1 if it is not looked at.
///
/// # Safety
/// `check` is from [`txbar_check_new`], and `name` is a string that ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_pin(check: *const Check, name: *const c_char) -> c_int {
    // SAFETY: as promised
    let (check, name) = unsafe { (&*check, CStr::from_ptr(name)) };
    let pin = name.to_str().ok().and_then(|name| check.unit.as_ref().ok()?.pin(name));
    pin.and_then(|pin| c_int::try_from(pin).ok()).unwrap_or(-1)
}

/// The value of a pin in this cycle. A number below 0 is left alone.
///
/// # Safety
/// `check` is from [`txbar_check_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_set(check: *mut Check, pin: c_int, value: u64) {
    // SAFETY: as promised
    if let (Ok(unit), Ok(pin)) = (unsafe { &mut (*check).unit }, usize::try_from(pin)) {
        unit.set(pin, value);
    }
}

/// A clock edge, with reset held if that is not 0: gives 1 if all is as it should be in the cycle that ends, and 0 if something is
/// wrong, then and from then on; [`txbar_check_message`] says what.
///
/// # Safety
/// `check` is from [`txbar_check_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_clock(check: *mut Check, reset: c_int) -> c_int {
    // SAFETY: as promised
    let check = unsafe { &mut *check };
    if !check.failed {
        let result = match &mut check.unit {
            Ok(unit) => catch_unwind(AssertUnwindSafe(|| unit.clock(reset != 0)))
                .unwrap_or_else(|_| Err("the checker itself has failed".to_owned())),
            Err(what) => Err(what.clone()),
        };
        if let Err(what) = result {
            check.fails(what);
        }
    }
    c_int::from(!check.failed)
}

/// What was wrong; an empty string if nothing was. It stays until the next call.
///
/// # Safety
/// `check` is from [`txbar_check_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_message(check: *const Check) -> *const c_char {
    // SAFETY: as promised
    unsafe { &*check }.message.as_ptr()
}

/// Requests that have been accepted so far.
///
/// # Safety
/// `check` is from [`txbar_check_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_accepted(check: *const Check) -> u64 {
    // SAFETY: as promised
    unsafe { &*check }.unit.as_ref().map_or(0, Watched::accepted)
}

/// 1 if every request that was accepted is answered, else 0.
///
/// # Safety
/// `check` is from [`txbar_check_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_idle(check: *const Check) -> c_int {
    // SAFETY: as promised
    unsafe { &*check }.unit.as_ref().map_or(0, |unit| c_int::from(unit.is_idle()))
}

/// What has been covered so far, as JSON ([`txbar_testbench::coverage::Covered`]). It stays until the next call.
///
/// # Safety
/// `check` is from [`txbar_check_new`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_coverage(check: *mut Check) -> *const c_char {
    // SAFETY: as promised
    let check = unsafe { &mut *check };
    let covered = check.unit.as_ref().ok().and_then(|unit| serde_json::to_string(&unit.covered()).ok());
    check.covered = CString::new(covered.unwrap_or_default()).unwrap_or_default();
    check.covered.as_ptr()
}

/// Ends it.
///
/// # Safety
/// `check` is from [`txbar_check_new`], and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_check_free(check: *mut Check) {
    // SAFETY: as promised
    drop(unsafe { Box::from_raw(check) });
}

/// What an operation does to a word, by the reference model: one that is not suspended, aligned and in range. `op` is an opcode, `remote` is
/// not 0 if it comes from another CTA, `strobe` has the byte enables of a store. Gives the status code, and through the pointers the word
/// after it, whether the phase of a wait has completed, and the answer: a state token, a count or a word, else 0.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_apply(
    word: u64,
    op: c_int,
    remote: c_int,
    data: u64,
    strobe: c_int,
    after: *mut u64,
    predicate: *mut c_int,
    answer: *mut u64,
) -> c_int {
    let [op, strobe] = [op, strobe].map(|code| code as u8);
    let request = Request { op, remote: remote != 0, data, strobe, ..Request::NOTHING };
    let (next, Outcome { response, fault }) = model::serve(word, &request, 8);
    let status = response.map_or(fault.map_or(Status::Ok, Fault::status).code(), |response| response.status);
    // SAFETY: as promised
    unsafe {
        *after = next;
        *predicate = c_int::from(response.is_some_and(|response| response.predicate));
        *answer = response.map_or(0, |response| response.data);
    }
    c_int::from(status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use txbar_rtl::parameters::{Design, Parameters};

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let split = Parameters { whole_groups: false, clock_ns: 6, clock_ps: 600, ..Parameters::default() };
        let masked = Parameters { wake_mask: true, counters: false, ..Parameters::default() };
        let checked = Parameters { checked: true, whole_groups: false, ..Parameters::default() };
        for of in [Parameters::default(), split, masked, checked, Parameters::banked_high_clock(4, 8)] {
            let pairs = of.list().into_iter().map(|(name, value)| format!("{name}={value}"));
            let text = pairs.collect::<Vec<_>>().join(" ");
            assert_eq!(parameters::read(&text), Ok(of), "{text}");
        }
        for wrong in ["ports", "ports=nine", "ports=99", "lanes=32", "build=fast", "clock-ns=1.x"] {
            assert!(parameters::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn wrong_parameters_are_told_at_the_first_clock() {
        // SAFETY: strings with NUL, and what `new` has given
        unsafe {
            let check = txbar_check_new(c"ports=99".as_ptr());
            assert_eq!(txbar_check_pin(check, c"req_valid".as_ptr()), -1);
            assert_eq!(txbar_check_clock(check, 1), 0);
            let message = CStr::from_ptr(txbar_check_message(check)).to_string_lossy().into_owned();
            assert!(message.contains("99"), "{message}");
            txbar_check_free(check);
        }
    }
}
