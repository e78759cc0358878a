//! `raddle-gui`: opens the window.

use raddle_gui::app::{App, WINDOW};
use raddle_gui::arguments::{Arguments, Refusal, USAGE};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(Refusal::Help) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(Refusal::Wrong(why)) => {
            eprintln!("error: {why}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let viewport = egui::ViewportBuilder::default()
        .with_title("Raddle")
        .with_app_id("raddle")
        .with_inner_size(WINDOW)
        .with_min_inner_size([960.0, 600.0]);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    let opened = eframe::run_native("raddle", options, Box::new(|cc| Ok(Box::new(App::new(arguments, cc)?))));
    match opened {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: cannot open the window: {e}");
            eprintln!(
                "next: see that DISPLAY names an X server that this user may use and that it has OpenGL"
            );
            ExitCode::from(2)
        }
    }
}
