//! The window's loop: take in news, take in keys, draw, carry out what was done.

use crate::arguments::Arguments;
use crate::keys;
use crate::link::Link;
use crate::messages::Command;
use crate::model::{Deed, Model};
use crate::panels;
use crate::theme;
use eframe::CreationContext;
use egui::{Ui, ViewportCommand};
use raddle_protocol::client::Face;
use std::io;

/// The size that the window opens with, in points.
pub const WINDOW: [f32; 2] = [1500.0, 940.0];

/// The window.
pub struct App {
    model: Model,
    link: Link,
    title: String,
}

impl App {
    /// Starts the link to the host; the window opens whether there is one or not.
    pub fn new(arguments: Arguments, cc: &CreationContext<'_>) -> io::Result<App> {
        theme::install(&cc.egui_ctx);
        if let Some(theme) = arguments.theme {
            cc.egui_ctx.set_theme(theme);
        }
        let root = arguments.root.canonicalize()?;
        let model = Model::new(root.display().to_string(), arguments.target);
        let face = Face { name: "gui", build: arguments.build, raddle: arguments.raddle, root };
        let ctx = cc.egui_ctx.clone();
        let link = Link::start(face, move || ctx.request_repaint())?;
        link.send(Command::Connect);
        Ok(App { model, link, title: String::new() })
    }

    fn carry_out(&mut self, deeds: Vec<Deed>) {
        for deed in deeds {
            for command in self.model.act(deed) {
                self.link.send(command);
            }
        }
    }

    fn set_title(&mut self, ctx: &egui::Context) {
        let title = self.model.title();
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

impl eframe::App for App {
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }

    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let commands: Vec<Command> = self.link.news().flat_map(|news| self.model.hear(news)).collect();
        for command in commands {
            self.link.send(command);
        }
        self.carry_out(keys::deeds(ui.ctx()));
        let mut deeds = Vec::new();
        panels::window(ui, &self.model, &mut deeds);
        if !deeds.is_empty() {
            self.carry_out(deeds);
            // What was drawn is older than what was done.
            ui.ctx().request_repaint();
        }
        self.set_title(ui.ctx());
    }
}
