//! Requests for the ports of a unit: random ones, or those of a file.

use crate::parameters;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::catch_unwind;
use txbar_rtl::parameters::Design;
use txbar_testbench::case::file::{self, Head};
use txbar_testbench::case::unit::{Item, Unit};
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::traffic::Plan;

/// Requests in the order in which they are made: `txbar_traffic` in C.
#[derive(Default)]
pub struct Traffic {
    items: std::vec::IntoIter<Item>,
    text: CString,
    message: CString,
}

impl Traffic {
    fn given(made: Result<(Head, Vec<Item>), String>) -> *mut Self {
        // no text has a NUL
        let text = |text: String| CString::new(text.replace('\0', " ")).unwrap_or_default();
        let made = made.and_then(|(head, items)| {
            let written = file::text(&head, &items).map_err(|error| error.to_string())?;
            Ok(Self { items: items.into_iter(), text: text(written), message: CString::default() })
        });
        Box::into_raw(Box::new(made.unwrap_or_else(|message| Self { message: text(message), ..Self::default() })))
    }
}

fn random(parameters: &str, seed: u64, operations: u64, stall: c_int) -> Result<(Head, Vec<Item>), String> {
    let parameters = parameters::read(parameters)?;
    let stall = u8::try_from(stall).ok().filter(|stall| *stall <= 95).ok_or("the share of stalls must be in 0..=95")?;
    let plan = Plan { stall, ..Plan::new(seed, operations) };
    // waits take the tokens that arrivals have given: what the unit answers goes into the requests
    let unit = catch_unwind(|| Unit::of(&plan, &mut Rtl::new(parameters))).map_err(|_| "it cannot be simulated")?;
    Ok((Head::new(parameters.list(), plan.conditions(), None, None), unit.requests))
}

fn read(parameters: &str, text: &str) -> Result<(Head, Vec<Item>), String> {
    let parameters = parameters::read(parameters)?;
    let said = |error: file::FileError| error.to_string();
    let of = parameters::read(&file::pairs(&file::parameters(text).map_err(said)?).join(" "))?;
    let (head, requests) = file::read(text).map_err(said)?;
    let case = Unit { conditions: head.conditions(), requests };
    case.check(&parameters).map_err(|misfit| misfit.to_string())?;
    if of.words > parameters.words {
        return Err(format!("this is for {} words, and the unit has {}", of.words, parameters.words));
    }
    Ok((head, case.requests))
}

/// Random requests, as `txbar sim` makes them. Never null: [`txbar_traffic_message`] says what is wrong.
///
/// # Safety
/// `parameters` is a string that ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_traffic_random(
    parameters: *const c_char,
    seed: u64,
    operations: u64,
    stall: c_int,
) -> *mut Traffic {
    // SAFETY: as promised
    let parameters = unsafe { CStr::from_ptr(parameters) }.to_string_lossy();
    Traffic::given(random(&parameters, seed, operations, stall))
}

/// The requests of a file that `txbar sim --replay` plays, from its text. Never null: [`txbar_traffic_message`] says what is wrong.
///
/// # Safety
/// `parameters` and `text` are strings that end with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_traffic_read(parameters: *const c_char, text: *const c_char) -> *mut Traffic {
    // SAFETY: as promised
    let [parameters, text] = [parameters, text].map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
    Traffic::given(read(&parameters, &text))
}

/// Why there are no requests; an empty string if there are.
///
/// # Safety
/// `traffic` is from a function above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_traffic_message(traffic: *const Traffic) -> *const c_char {
    // SAFETY: as promised
    unsafe { &*traffic }.message.as_ptr()
}

/// The text of a file that `txbar sim --replay` plays.
///
/// # Safety
/// `traffic` is from a function above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_traffic_text(traffic: *const Traffic) -> *const c_char {
    // SAFETY: as promised
    unsafe { &*traffic }.text.as_ptr()
}

/// The next request: its port, the idle cycles before it, and the values of `req_op`, `req_remote`, `req_address`, `req_data`, `req_strobe`,
/// `req_tag` and `req_order`. Gives 0 if there are no more.
///
/// # Safety
/// `traffic` is from a function above, and there is room for 9 numbers at `values`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_traffic_next(traffic: *mut Traffic, values: *mut u64) -> c_int {
    // SAFETY: as promised
    let Some(Item { port, pause, request }) = unsafe { &mut *traffic }.items.next() else { return 0 };
    let all = [
        port as u64,
        pause.into(),
        request.op.into(),
        request.remote.into(),
        request.address.into(),
        request.data,
        request.strobe.into(),
        request.tag.into(),
        request.order.code().into(),
    ];
    // SAFETY: as promised
    unsafe { values.copy_from_nonoverlapping(all.as_ptr(), all.len()) };
    1
}

/// Ends it.
///
/// # Safety
/// `traffic` is from a function above, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn txbar_traffic_free(traffic: *mut Traffic) {
    // SAFETY: as promised
    drop(unsafe { Box::from_raw(traffic) });
}
