//! A screen that nobody looks at: an X server in memory, with keys, a mouse and pictures.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than a window takes to do anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running X server; it ends with this.
pub struct Screen {
    server: Child,
    /// As in DISPLAY.
    pub display: String,
}

/// A window on a screen.
pub struct Window<'a> {
    screen: &'a Screen,
    id: String,
}

impl Screen {
    /// Starts a server on the first display that is free.
    #[track_caller]
    pub fn new() -> Screen {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1500x940x24", "-nolisten", "tcp"]);
        // It would begin anew whenever its last client has gone, be it a mere look for a window, and
        // refuse a window that opens at that moment.
        command.arg("-noreset");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // SAFETY: the hook runs in the forked child before exec and makes one system call. Tests
        // keep the thread that starts it until they end.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            })
        };
        let mut server = command.spawn().expect("Xvfb (Debian package xvfb) starts");
        let stdout = server.stdout.take().expect("its standard output");
        let mut number = String::new();
        BufReader::new(stdout).read_line(&mut number).expect("Xvfb says its display");
        assert!(number.trim().parse::<u32>().is_ok(), "Xvfb has no display: {number:?}");
        Screen { server, display: format!(":{}", number.trim()) }
    }

    /// Waits for a window whose title contains this.
    #[track_caller]
    pub fn window(&self, title: &str) -> Window<'_> {
        let found = |title: &str| {
            let found = self.tool(&["search", "--onlyvisible", "--name", title]);
            found.and_then(|found| found.lines().next().map(str::to_string))
        };
        // Any window has a title with a letter; what it says otherwise is worth knowing.
        let other = || found("[a-z]").map(|id| Window { screen: self, id }.title());
        let id = waited(|| found(title));
        let id =
            id.unwrap_or_else(|| panic!("waited in vain for a window {title:?}; there is {:?}", other()));
        Window { screen: self, id }
    }

    /// Runs xdotool; what it prints, unless it fails.
    fn tool(&self, words: &[&str]) -> Option<String> {
        let output = Command::new("xdotool").args(words).env("DISPLAY", &self.display).output();
        let output = output.expect("xdotool (Debian package xdotool) starts");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    }
}

impl Default for Screen {
    fn default() -> Self {
        Screen::new()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Window<'_> {
    /// Its title now.
    pub fn title(&self) -> String {
        self.screen.tool(&["getwindowname", &self.id]).unwrap_or_default()
    }

    /// Waits until its title contains this.
    #[track_caller]
    pub fn titled(&self, text: &str) {
        let titled = waited(|| self.title().contains(text).then_some(()));
        titled.unwrap_or_else(|| panic!("waited in vain for {text:?} in the title {:?}", self.title()));
    }

    /// Presses a key: `n`, `Home`, `Up`, … Nobody manages windows here, so it is given the focus first.
    #[track_caller]
    pub fn key(&self, key: &str) {
        self.screen
            .tool(&["windowfocus", "--sync", &self.id, "key", key])
            .unwrap_or_else(|| panic!("{key} cannot be pressed"));
    }

    /// Clicks there, from its top left.
    #[track_caller]
    pub fn click(&self, x: u32, y: u32) {
        let (x, y) = (x.to_string(), y.to_string());
        let words = ["mousemove", "--window", &self.id, &x, &y, "click", "1"];
        self.screen.tool(&words).expect("the mouse moves");
    }

    /// Takes a picture into the folder of screenshots (`RADDLE_SCREENSHOTS`, or the target's).
    #[track_caller]
    pub fn picture(&self, name: &str) -> PathBuf {
        let folder = match std::env::var_os("RADDLE_SCREENSHOTS") {
            Some(folder) => PathBuf::from(folder),
            None => crate::binary::root().join("target/screenshots"),
        };
        std::fs::create_dir_all(&folder).expect("a folder for screenshots");
        let file = folder.join(name).with_extension("png");
        let status = Command::new("import")
            .args(["-window", &self.id])
            .arg(&file)
            .env("DISPLAY", &self.screen.display)
            .status()
            .expect("import (Debian package imagemagick) starts");
        assert!(status.success(), "no picture of the window");
        file
    }
}

/// Different colours of a picture.
#[track_caller]
pub fn colours(picture: &Path) -> u32 {
    let output = Command::new("identify").args(["-format", "%k"]).arg(picture).output();
    let output = output.expect("identify (Debian package imagemagick) starts");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of colours")
}

/// Waits until there is something.
#[track_caller]
pub fn until<T>(what: &str, there: impl FnMut() -> Option<T>) -> T {
    waited(there).unwrap_or_else(|| panic!("waited in vain for {what}"))
}

/// Waits until there is something, or for too long.
fn waited<T>(mut there: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Some(found) = there() {
            return Some(found);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}
