//! The page in headless Chromium, which `scripts/setup-tools` installs.
//!
//! Pictures of what the tests see are kept if `TXBAR_SCREENSHOTS` names a folder.

mod driver;
mod source;

use driver::Browser;
use txbar_report::page;
use txbar_rtl::parameters::Parameters;
use txbar_testbench::engine::rtl::Rtl;
use txbar_testbench::record::{Conformance, ConformanceRow, Recorder, RunRecord, Verdict, WaitJson};
use txbar_testbench::run::{self, Unobserved};
use txbar_testbench::scenario;
use txbar_testbench::traffic::{Conditions, Plan};

/// One phase of one barrier.
fn one_phase() -> RunRecord {
    let parameters = Parameters::default();
    let mut recorder = Recorder::of_unit(&parameters, Recorder::KEPT);
    let mut engine = Rtl::new(parameters);
    let source = scenario::one_phase();
    run::source(&mut engine, source, Conditions::CALM, &mut (Unobserved, &mut recorder)).expect("it is sound");
    let mut record = RunRecord::new("one phase", Verdict::Pass, "it went well");
    record.timeline = Some(recorder.finish());
    record
}

/// Random traffic with more than 100,000 operations on barriers.
fn traffic() -> RunRecord {
    let parameters = Parameters { counters: false, ..Parameters::default() };
    let mut recorder = Recorder::of_unit(&parameters, Recorder::KEPT);
    let plan = Plan::new(7, 160_000);
    let report = run::plan(&mut Rtl::new(parameters), &plan, &mut (Unobserved, &mut recorder)).expect("it is sound");
    let mut record = RunRecord::new("random traffic", Verdict::Pass, "it went well");
    record.figure("operations", report.operations);
    record.timeline = Some(recorder.finish());
    record
}

/// Where an event of the first barrier is in the window.
async fn place_of(browser: &Browser, event: usize) -> (f64, f64) {
    let script = format!(
        "const box = Txbar.drawn.canvas.getBoundingClientRect();
         return box.left + Txbar.drawn.x(Txbar.view.tracks[0].cycle[{event}]) + 1"
    );
    let top = "const box = Txbar.drawn.canvas.getBoundingClientRect(); return box.top + Txbar.Timeline.AXIS + 25";
    (browser.number(&script).await.ceil(), browser.number(top).await)
}

#[tokio::test]
async fn the_page_opens_and_shows_the_word_under_the_mouse_and_the_keys() {
    let browser = Browser::open(&one_phase()).await;
    assert_eq!(
        browser.number("return performance.getEntriesByType('resource').length").await,
        0.0,
        "it loads something"
    );
    assert_eq!(browser.text("h1").await, "one phase");
    assert_eq!(browser.text(".verdict").await, "PASS");
    assert_eq!(browser.value("return document.getElementById('timeline').hidden").await, false);
    assert_eq!(browser.value("return document.getElementById('hang').hidden").await, true);
    assert_eq!(browser.number("return document.querySelectorAll('#plots canvas').length").await, 4.0);

    // the mouse: init, arrive.expect_tx, two halves of a copy, arrive, and questions
    browser.hover(place_of(&browser, 1).await).await;
    let tip = browser.text("#tip").await;
    for part in
        ["barrier 0x40", "phase 0 (parity 0)", "pending 1 of 2 arrivals", "tx-count 32 bytes", "fault bit clear"]
    {
        assert!(tip.contains(part), "`{part}` is missing: {tip}");
    }
    assert!(tip.contains("arrive_expect_tx bytes 32, thread 0 (port 0): answered after 5 cycles"), "{tip}");
    browser.screenshot("hover.png").await;

    // a click chooses, keys go on
    browser.click(place_of(&browser, 0).await).await;
    assert!(browser.text("#readout").await.contains("init arrivals 2"));
    browser.value("document.getElementById('tracks').focus()").await;
    browser.press("n").await;
    assert!(browser.text("#readout").await.contains("arrive_expect_tx bytes 32"), "{}", browser.text("#readout").await);
    browser.press("p").await;
    assert!(browser.text("#readout").await.contains("init arrivals 2"));
    browser.press("\u{e010}").await; // End
    let last = browser.text("#readout").await;
    assert!(last.contains("phase\n1 (parity 1)") && last.contains("predicate true"), "{last}");
    let flips = "return Txbar.view.timeline.events.flags.filter((flags) => flags & Txbar.FLIP).length";
    assert_eq!(browser.number(flips).await, 1.0);
    let focus =
        "const style = getComputedStyle(document.activeElement); return style.outlineStyle + ' ' + style.outlineWidth";
    assert_eq!(browser.value(focus).await, "solid 3px", "the focus is to be seen");

    // the same as a table
    browser.value("document.getElementById('rows').open = true").await;
    browser.frame().await;
    let table = browser.text("#rows-table").await;
    assert!(table.contains("init arrivals 2") && table.contains("completes the phase"), "{table}");
    browser.close().await;
}

#[tokio::test]
async fn a_hundred_thousand_operations_zoom_and_move() {
    let record = traffic();
    let events = record.timeline.as_ref().map_or(0, |timeline| timeline.events.cycle.len());
    assert!(events >= 100_000, "there are {events}");
    let cycles = record.timeline.as_ref().map_or(0, |timeline| timeline.cycles) as f64;
    let browser = Browser::open(&record).await;
    let (begin, end) = ("return Txbar.view.begin", "return Txbar.view.end");
    assert_eq!((browser.number(begin).await, browser.number(end).await), (0.0, cycles));
    browser.screenshot("all.png").await;

    // keys
    browser.value("document.getElementById('tracks').focus()").await;
    browser.press("\u{e011}+++").await; // Home
    assert!((browser.number("return Txbar.view.span").await - cycles / 8.0).abs() < 1.0);
    let before = browser.number(begin).await;
    browser.press("\u{e014}").await; // to the right
    assert!((browser.number(begin).await - before - cycles / 40.0).abs() < 1.0);
    browser.press("0").await;
    assert_eq!(browser.number("return Txbar.view.span").await, cycles);
    browser.press("f").await;
    let alarm = browser.text("#readout .alarm").await;
    assert!(!alarm.is_empty());
    browser.press("\u{e007}").await; // Enter
    assert_eq!(browser.number("return Txbar.view.span").await, 60.0);
    browser.screenshot("near.png").await;
    browser.press("0").await;

    // wheel and mouse: what is under the mouse stays there
    let at = place_of(&browser, 5_000).await;
    let under = format!("return Txbar.drawn.cycleAt({} - Txbar.drawn.canvas.getBoundingClientRect().left)", at.0);
    let cycle = browser.number(&under).await;
    browser.zoom_wheel(at, -400).await;
    let span = browser.number("return Txbar.view.span").await;
    assert!((span - cycles / 4.0).abs() < 2.0, "{span}");
    assert!((browser.number(&under).await - cycle).abs() < span / 500.0);
    let before = browser.number(begin).await;
    browser.drag(at, at.0 - 100.0).await;
    let moved = (browser.number(begin).await - before) * browser.number("return Txbar.drawn.breadth").await / span;
    assert!((moved - 100.0).abs() < 1.0, "it has moved by {moved} pixels");
    browser.value("document.getElementById('zoom-all').click()").await;
    browser.frame().await;

    // buttons, filter, order; plots follow
    browser.value("document.getElementById('zoom-in').click()").await;
    browser.frame().await;
    browser
        .until(
            "const { min, max } = Txbar.plots.overTime[0].plot.scales.x;
             return min === Txbar.view.begin && max === Txbar.view.end && Txbar.view.span < Txbar.view.last",
        )
        .await;
    let drawn = "const [, drawn] = Txbar.plots.overTime[0].plot.data; return drawn.length";
    let few = browser.number(drawn).await;
    assert!(few < 1000.0, "slices are joined until a few hundred are in sight: {few}");
    let accepted =
        "const { series } = Txbar.view.timeline; return series.accepted.reduce((sum, count) => sum + count, 0)";
    assert_eq!(browser.number(accepted).await, 160_000.0);
    let filter = "const filter = document.getElementById('filter'); filter.value = '0x18'; filter.dispatchEvent(new Event('input'))";
    browser.value(filter).await;
    browser.frame().await;
    assert_eq!(browser.value("return Txbar.view.tracks.every((track) => track.name.startsWith('0x18'))").await, true);
    browser.close().await;
}

/// Zooms in and out, and looks whether each number of a phase stands over the strip of that phase, from its first letter to its last.
const PHASES: &str = "
    const { view, drawn } = Txbar;
    const numberAt = (track, cycle) => {
      const done = Txbar.above(track.cycle, cycle);
      return done > 0 ? track.numberOfPhase[done - 1] : track.phases;
    };
    let labels = 0;
    const wrong = [];
    const text = drawn.text;
    drawn.text = function (written, x, y, colour, bold) {
      text.call(this, written, x, y, colour, bold);
      const [, number] = /^(?:phase )?(\\d+)$/.exec(written) ?? [];
      const track = view.tracks[this.trackAt(y)];
      if (number === undefined || colour !== 'ink' || !track) return;
      labels++;
      const right = x + this.context.measureText(written).width;
      for (const at of [x, right]) {
        if (numberAt(track, this.cycleAt(at)) !== Number(number)) wrong.push([written, view.begin, view.span]);
      }
    };
    for (let step = 0; step < 60; step++) {
      view.zoom(step < 30 ? 0.7 : 1.4, view.last / 3);
      drawn.draw();
    }
    drawn.text = text;
    return [labels, wrong];";

#[tokio::test]
async fn a_phase_is_named_within_its_strip() {
    for record in [one_phase(), traffic()] {
        let browser = Browser::open(&record).await;
        let seen = browser.value(PHASES).await;
        assert!(seen[0].as_u64() > Some(20), "{seen}");
        assert_eq!(seen[1], serde_json::json!([]), "{} labels", seen[0]);
        browser.close().await;
    }
}

/// Draws all of it, zooms in step by step and moves, and counts what the canvas is asked for in each frame.
const FRAMES: &str = "
    let calls = null;
    const count = (prototype, name) => {
      const original = prototype[name];
      prototype[name] = function (...these) { calls++; return original.apply(this, these); };
    };
    const { view, drawn } = Txbar;
    const walk = (frame) => {
      for (let step = 0; step < 40; step++) {
        view.zoom(0.8, view.last / 3);
        frame();
      }
      for (let step = 0; step < 40; step++) {
        view.zoom(1.25, view.last / 3);
        frame();
      }
      for (let step = 0; step < 40; step++) {
        view.show(0, view.last);
        view.zoom(0.5);
        view.pan(step * view.last / 80);
        frame();
      }
    };
    const frames = [];
    walk(() => {
      const begin = performance.now();
      drawn.draw();
      const script = performance.now() - begin;
      drawn.context.getImageData(0, 0, 1, 1); // which waits until it is drawn
      frames.push({ script, milliseconds: performance.now() - begin });
    });
    // the timeline's own work is counted after it has been timed
    for (const name of ['lineTo', 'moveTo', 'fillRect', 'fillText', 'fill', 'stroke']) count(CanvasRenderingContext2D.prototype, name);
    for (const name of ['rect', 'lineTo', 'moveTo']) count(Path2D.prototype, name);
    let number = 0;
    walk(() => {
      calls = 0;
      drawn.draw();
      frames[number++].calls = calls;
    });
    const tracks = Math.ceil(drawn.height / 30);
    return { frames, room: drawn.breadth * tracks };
";

/// Zooms as one does with a wheel, a step a frame, and gives the mean time between frames.
const INTERACTION: &str = "
    const done = arguments[0];
    const steps = 60;
    let step = 0;
    let begin;
    const next = (now) => {
      begin ??= now;
      if (step === steps) return done((now - begin) / steps);
      Txbar.view.zoom(step++ < steps / 2 ? 0.85 : 1 / 0.85, Txbar.view.last / 2);
      requestAnimationFrame(next);
    };
    Txbar.view.show(0, Txbar.view.last);
    requestAnimationFrame(next);
";

#[tokio::test]
async fn what_a_frame_draws_is_limited_by_its_pixels_not_by_the_operations() {
    let browser = Browser::open(&traffic()).await;
    let measured = browser.value(FRAMES).await;
    let frames = measured["frames"].as_array().expect("there are some");
    let most = |key: &str| frames.iter().filter_map(|frame| frame[key].as_f64()).fold(0.0, f64::max);
    let mean = frames.iter().filter_map(|frame| frame["milliseconds"].as_f64()).sum::<f64>() / frames.len() as f64;
    let room = measured["room"].as_f64().expect("it is a number");
    println!(
        "{} frames: {mean:.1} ms on average, {:.1} at most ({:.1} of the script); {} calls at most where there are {room} columns",
        frames.len(),
        most("milliseconds"),
        most("script"),
        most("calls"),
    );
    let interval = browser.wait_for(INTERACTION).await;
    println!("60 steps of zooming, a frame each, with everything on the page: {interval:.1} ms a step");
    // a column of a track: a corner of each of six outlines, bands, bars in eight lanes, a triangle
    assert!(most("calls") < 30.0 * room, "a frame asks {} times for something", most("calls"));
    browser.close().await;
}

/// How well texts can be told from what they stand on, as WCAG counts it: the least of them.
const CONTRAST: &str = "
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const luminance = (colour) => {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const pairs = [['ink', 'paper'], ['faint', 'paper'], ['ink', 'panel'], ['faint', 'panel'], ['alarm', 'paper'], ['alarm', 'panel'],
      ['pass', 'paper'], ['focus', 'paper'], ['pending', 'paper'], ['ink', 'phase-0-strip'], ['ink', 'phase-1-strip'],
      ['ink', 'phase-0'], ['ink', 'phase-1']];
    return pairs.map(([text, ground]) => {
      const [one, other] = [text, ground].map((name) => luminance(Txbar.drawn.colour(name)));
      return [text + ' on ' + ground, (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)];
    }).reduce((least, pair) => (pair[1] < least[1] ? pair : least));
";

#[tokio::test]
async fn it_is_legible_in_light_and_in_dark_and_in_a_narrow_window() {
    let browser = Browser::open(&one_phase()).await;
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        browser.scheme(scheme).await;
        let least = browser.value(CONTRAST).await;
        assert!(least[1].as_f64().is_some_and(|contrast| contrast >= 4.5), "{scheme}: {least}");
        papers.push(browser.value("return getComputedStyle(document.body).backgroundColor").await);
        browser.screenshot(&format!("{scheme}.png")).await;
    }
    assert_ne!(papers[0], papers[1]);
    let narrow = serde_json::json!({ "width": 400, "height": 800, "deviceScaleFactor": 2, "mobile": false });
    browser.chromium("Emulation.setDeviceMetricsOverride", narrow).await;
    browser.until("return Txbar.drawn.canvas.width === 2 * Txbar.drawn.width && Txbar.drawn.width < 400").await;
    let overhang = "return document.scrollingElement.scrollWidth - innerWidth";
    assert!(browser.number(overhang).await <= 0.0, "the page is wider than the window");
    browser.screenshot("narrow.png").await;
    browser.close().await;
}

#[tokio::test]
async fn a_run_without_barriers_has_a_page_too() {
    let mut record = one_phase();
    record.timeline = Some(Recorder::of_unit(&Parameters::default(), 1).finish());
    let browser = Browser::open(&record).await;
    browser.value("document.getElementById('tracks').focus()").await;
    browser.press("\u{e015}\u{e013}npfF+-0\u{e010}\u{e011}\u{e007}\u{e012}\u{e014}").await;
    browser.value("document.getElementById('rows').open = true").await;
    browser.frame().await;
    assert_eq!(browser.text("#rows-shown").await, ": 0");
    assert_eq!(browser.value("return Number.isFinite(Txbar.view.begin) && Txbar.view.span > 0").await, true);
    browser.close().await;
}

#[tokio::test]
async fn tables_hold_what_the_record_holds_and_no_name_becomes_html() {
    let nasty = "</script><img src=x onerror=\"document.title='broken'\"><b>&amp;";
    let mut record = one_phase();
    (record.title, record.summary, record.verdict) = (nasty.to_owned(), nasty.to_owned(), Verdict::Hang);
    record.figure(nasty, nasty);
    if let Some(timeline) = &mut record.timeline {
        timeline.name_barriers(|_, _| Some(nasty.to_owned()));
    }
    record.hang.push(WaitJson {
        cluster: 0,
        cta: 0,
        threads: vec![0, 1, 2, 40],
        line: Some(17),
        source: Vec::new(),
        waits_for: nasty.to_owned(),
        barrier: Some(nasty.to_owned()),
        address: Some(64),
        waits_for_parity: Some(1),
        word: Some("7fff0000001fffc0".to_owned()),
        word_parity: Some(0),
        arrivals_missing: Some(32),
        bytes_missing: Some(-16),
        arrived: vec!["thread 7".to_owned()],
    });
    let row = |operation: &str, matched| ConformanceRow {
        source: nasty.to_owned(),
        operation: operation.to_owned(),
        records: 400,
        matched,
    };
    record.conformance = Some(Conformance {
        against: "on the H200".to_owned(),
        rows: vec![row("arrive", 400), row("init", 398)],
        mismatches: vec![nasty.to_owned()],
    });
    let html = page(&record).expect("there is a page");
    assert!(!html.contains("<img"), "a name has become HTML");

    let browser = Browser::open(&record).await;
    assert_ne!(browser.value("return document.title").await, "broken");
    assert_eq!(browser.text("h1").await, nasty);
    assert_eq!(browser.text(".verdict").await, "HANG");
    let hang = browser.text("#hang-table").await;
    for part in ["0-2, 40", "17", nasty, "7fff0000001fffc0", "32", "-16", "thread 7"] {
        assert!(hang.contains(part), "`{part}` is missing: {hang}");
    }
    assert_eq!(browser.text("#against").await, "798 of 800 are as on the H200.");
    assert_eq!(browser.text("#conformance-table tr.alarm").await, format!("{nasty}\tinit\t400\t398\t2"));
    assert_eq!(browser.text("#mismatches li").await, nasty);
    let counts = browser.text("#counts-table").await;
    assert!(counts.contains("bulk_complete_tx\tcp.async.bulk (mbarrier completion)\tok\t2"), "{counts}");
    assert_eq!(browser.number("return document.querySelectorAll('main img, main b').length").await, 0.0);
    browser.close().await;
}
