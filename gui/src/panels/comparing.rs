//! The way from a failing execution to the one that passes and does the least otherwise, and back; and what that is.

use super::{dim, link};
use crate::model::{Compared, Deed, Model, plural};
use crate::theme::{self, Palette};
use egui::{RichText, Ui};

pub fn show(ui: &mut Ui, model: &Model, deeds: &mut Vec<Deed>) {
    if let Some(known) = model.compared() {
        both(ui, model, known, deeds);
    } else if model.is_comparing() {
        dim(ui, "Looking for what passes\u{2026}");
    } else if model.can_compare() {
        let says = "The passing execution that differs least from this one (c)";
        if link(ui, "Show nearest passing").on_hover_text(says).clicked() {
            deeds.push(Deed::Compare);
        }
    }
}

fn both(ui: &mut Ui, model: &Model, known: &Compared, deeds: &mut Vec<Deed>) {
    let found = &known.found;
    let ran = format!("{} tried", plural(found.executions, "execution"));
    if found.passing.is_none() {
        let none = match found.nearest {
            true => "No execution passes with switches at these points",
            false => "No passing execution was found",
        };
        dim(ui, format!("{none} ({ran})."));
        return;
    }
    let fails = model.trace().is_some_and(|t| t.schedule == known.failing);
    let other = if fails { "Show nearest passing" } else { "Back to the failing one" };
    if link(ui, other).on_hover_text("c").clicked() {
        deeds.push(Deed::Compare);
    }
    let p = Palette::of(ui.ctx());
    for text in &found.otherwise {
        ui.label(RichText::new(format!("\u{2022} {text}")).font(theme::plain(12.5)).color(p.text));
    }
    let all = match found.distance {
        1 => "one order or choice".to_string(),
        n => format!("{n} orders and choices"),
    };
    let nearer = match found.nearest {
        true => "no passing execution is nearer",
        false => "there may be a nearer one",
    };
    dim(ui, format!("It differs in {all}; {nearer} ({ran})."));
}
