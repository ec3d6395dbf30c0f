//! Headless Chromium, driven through WebDriver.

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction, WheelAction, WheelActions,
};
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use txbar_report::page;
use txbar_testbench::record::RunRecord;
use url::{ParseError, Url};

/// Nothing but the page: no account, no updates, no network.
const OPTIONS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
    "--window-size=1300,1000",
];

/// A page that is open in a browser.
pub struct Browser {
    client: Client,
    _driver: Child,
    _folder: TempDir,
}

/// A command of Chromium's own protocol.
#[derive(Debug)]
struct Chromium {
    command: &'static str,
    parameters: Value,
}

impl WebDriverCompatibleCommand for Chromium {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }
    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        let body = json!({ "cmd": self.command, "params": self.parameters });
        (http::Method::POST, Some(body.to_string()))
    }
}

impl Browser {
    /// Opens the page of a record from disk.
    pub async fn open(record: &RunRecord) -> Browser {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("page.html");
        std::fs::write(&path, page(record).expect("there is a page")).expect("it can be written");
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("chromedriver starts; scripts/setup-tools installs it");
        let mut lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
        let port = loop {
            let line = lines.next_line().await.expect("it can be read").expect("chromedriver says its port");
            if let Some((_, port)) = line.split_once("successfully on port ") {
                break port.trim_end_matches('.').to_owned();
            }
        };
        let mut arguments: Vec<String> = OPTIONS.map(str::to_owned).into();
        arguments.push(format!("--user-data-dir={}", folder.path().join("user").display()));
        let mut capabilities = Capabilities::new();
        capabilities.insert("goog:chromeOptions".to_owned(), json!({ "args": arguments }));
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://localhost:{port}"))
            .await
            .expect("Chromium starts");
        let browser = Browser { client, _driver: driver, _folder: folder };
        browser.client.goto(&format!("file://{}", path.display())).await.expect("the page opens");
        let ready = browser.value("return document.documentElement.dataset.ready").await;
        assert_eq!(ready, "true", "the page's scripts have failed");
        browser
    }

    /// What a script returns.
    pub async fn value(&self, script: &str) -> Value {
        let run = self.client.execute(script, Vec::new()).await;
        run.unwrap_or_else(|error| panic!("`{script}` fails: {error}"))
    }

    /// The same, if it is a number.
    pub async fn number(&self, script: &str) -> f64 {
        let value = self.value(script).await;
        value.as_f64().unwrap_or_else(|| panic!("`{script}` is {value}"))
    }

    /// The text of an element.
    pub async fn text(&self, selector: &str) -> String {
        let value = self.value(&format!("return document.querySelector('{selector}').innerText")).await;
        value.as_str().unwrap_or_else(|| panic!("{selector} has no text: {value}")).to_owned()
    }

    /// Waits for the next frame, in which what has changed is drawn.
    pub async fn frame(&self) {
        let script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))";
        self.client.execute_async(script, Vec::new()).await.expect("frames go on");
    }

    /// What a script gives to the function that it finds in `arguments[0]`: a number.
    pub async fn wait_for(&self, script: &str) -> f64 {
        let value = self.client.execute_async(script, Vec::new()).await.expect("the script ends");
        value.as_f64().unwrap_or_else(|| panic!("it is {value}"))
    }

    /// Waits, some hundred frames at most, until a script says that something is so.
    pub async fn until(&self, script: &str) {
        for _ in 0..300 {
            if self.value(script).await == true {
                return;
            }
            self.frame().await;
        }
        panic!("it does not come to `{script}`");
    }

    async fn act(&self, actions: impl Into<fantoccini::actions::Actions>) {
        self.client.perform_actions(actions).await.expect("it can be done");
        self.frame().await;
    }

    /// Presses keys, one after the other.
    pub async fn press(&self, keys: &str) {
        let press =
            |actions: KeyActions, value: char| actions.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        self.act(keys.chars().fold(KeyActions::new("keys".to_owned()), press)).await;
    }

    /// Moves the mouse to a point of the window.
    pub async fn hover(&self, (x, y): (f64, f64)) {
        self.act(MouseActions::new("mouse".to_owned()).then(PointerAction::MoveTo { duration: None, x, y })).await;
    }

    /// Clicks there.
    pub async fn click(&self, (x, y): (f64, f64)) {
        let button = MOUSE_BUTTON_LEFT;
        let mouse = MouseActions::new("mouse".to_owned()).then(PointerAction::MoveTo { duration: None, x, y });
        self.act(mouse.then(PointerAction::Down { button }).then(PointerAction::Up { button })).await;
    }

    /// Drags from there to somewhere else.
    pub async fn drag(&self, (x, y): (f64, f64), to: f64) {
        let button = MOUSE_BUTTON_LEFT;
        let mouse = MouseActions::new("mouse".to_owned())
            .then(PointerAction::MoveTo { duration: None, x, y })
            .then(PointerAction::Down { button })
            .then(PointerAction::MoveTo { duration: None, x: to, y })
            .then(PointerAction::Up { button });
        self.act(mouse).await;
    }

    /// Turns the wheel there, with the Control key held.
    pub async fn zoom_wheel(&self, (x, y): (f64, f64), delta_y: i64) {
        let control = '\u{e009}';
        self.act(KeyActions::new("keys".to_owned()).then(KeyAction::Down { value: control })).await;
        let scroll = WheelAction::Scroll { duration: None, x: x as i64, y: y as i64, delta_x: 0, delta_y };
        self.act(WheelActions::new("wheel".to_owned()).then(scroll)).await;
        self.act(KeyActions::new("keys".to_owned()).then(KeyAction::Up { value: control })).await;
    }

    /// A command of Chromium's own.
    pub async fn chromium(&self, command: &'static str, parameters: Value) {
        self.client.issue_cmd(Chromium { command, parameters }).await.expect("Chromium does it");
    }

    /// The page in light or in dark.
    pub async fn scheme(&self, scheme: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.chromium("Emulation.setEmulatedMedia", features).await;
        self.frame().await;
    }

    /// A picture of the window, kept as this file in the folder that `TXBAR_SCREENSHOTS` names, if it does.
    pub async fn screenshot(&self, name: &str) -> Vec<u8> {
        let png = self.client.screenshot().await.expect("there is a picture");
        if let Some(folder) = std::env::var_os("TXBAR_SCREENSHOTS") {
            std::fs::write(Path::new(&folder).join(name), &png).expect("it can be written");
        }
        png
    }

    /// Closes the browser.
    pub async fn close(self) {
        self.client.close().await.expect("it closes");
    }
}
