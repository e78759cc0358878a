//! Every colour and text style of the window, in one table with a dark and a light column. The
//! rest of the code names meanings, never colours.

use egui::{
    Color32, Context, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, FontTweak, Stroke,
    TextStyle, Theme, Visuals,
};
use std::sync::Arc;

/// What colours mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Behind everything.
    pub ground: Color32,
    /// Panels.
    pub panel: Color32,
    /// What lies on panels: fields, chips, operations.
    pub raised: Color32,
    /// What can be pressed.
    pub button: Color32,
    /// What can be pressed, under the pointer.
    pub button_hover: Color32,
    /// The selected operation and line.
    pub selected: Color32,
    /// Hair lines and lane lines.
    pub line: Color32,
    /// Text.
    pub text: Color32,
    /// Text of second rank.
    pub dim: Color32,
    /// Numbers in gutters, waiting hatches.
    pub faint: Color32,
    /// What leads somewhere.
    pub link: Color32,
    /// Failures and preemptions, and nothing else.
    pub alarm: Color32,
    /// On `alarm`.
    pub on_alarm: Color32,
    /// Operations whose order decides.
    pub deciding: Color32,
    /// Passed.
    pub good: Color32,
    /// Passed, where there is much of it.
    pub good_quiet: Color32,
    /// Executions not yet run.
    pub waiting: Color32,
    /// Threads, by number, over and over.
    pub threads: [Color32; 8],
    /// On a thread's colour.
    pub on_thread: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The dark column.
pub const DARK: Palette = Palette {
    ground: rgb(0x15181e),
    panel: rgb(0x1c2028),
    raised: rgb(0x242a36),
    button: rgb(0x2f3643),
    button_hover: rgb(0x3a4353),
    selected: rgb(0x303d55),
    line: rgb(0x2b313c),
    text: rgb(0xd7dce5),
    dim: rgb(0x8f98a8),
    faint: rgb(0x5d6675),
    link: rgb(0x6ea8fe),
    alarm: rgb(0xff5d6c),
    on_alarm: rgb(0xffffff),
    deciding: rgb(0xffd166),
    good: rgb(0x7bd88f),
    good_quiet: rgb(0x39775a),
    waiting: rgb(0x3a4453),
    threads: [
        rgb(0x6ea8fe),
        rgb(0x7bd88f),
        rgb(0xf4b66a),
        rgb(0xc792ea),
        rgb(0x5ccfe6),
        rgb(0xf28fad),
        rgb(0xb8cc52),
        rgb(0xd4a373),
    ],
    on_thread: rgb(0x10141a),
};

/// The light column.
pub const LIGHT: Palette = Palette {
    ground: rgb(0xeef0f4),
    panel: rgb(0xffffff),
    raised: rgb(0xf1f3f7),
    button: rgb(0xe3e7ee),
    button_hover: rgb(0xd6dce6),
    selected: rgb(0xd9e6fd),
    line: rgb(0xdde2ea),
    text: rgb(0x1d2430),
    dim: rgb(0x5b6576),
    faint: rgb(0x98a2b3),
    link: rgb(0x1f6feb),
    alarm: rgb(0xd92638),
    on_alarm: rgb(0xffffff),
    deciding: rgb(0xb97900),
    good: rgb(0x1f8a4c),
    good_quiet: rgb(0x6fbf92),
    waiting: rgb(0xc9d1dd),
    threads: [
        rgb(0x2f6fe0),
        rgb(0x218a4b),
        rgb(0xc96a12),
        rgb(0x8a45c7),
        rgb(0x0e8199),
        rgb(0xc23a6b),
        rgb(0x6d7f10),
        rgb(0x8f5b2e),
    ],
    on_thread: rgb(0xffffff),
};

impl Palette {
    /// Of what is shown now.
    pub fn of(ctx: &Context) -> &'static Palette {
        match ctx.theme() {
            Theme::Dark => &DARK,
            Theme::Light => &LIGHT,
        }
    }

    /// A thread's colour.
    pub fn thread(&self, thread: u32) -> Color32 {
        self.threads[thread as usize % self.threads.len()]
    }
}

/// Font family of headings and names.
const STRONG: &str = "strong";

/// Plain text of a size.
pub fn plain(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// Heavier text of a size.
pub fn strong(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(STRONG.into()))
}

/// Text of programs, of a size.
pub fn mono(size: f32) -> FontId {
    FontId::new(size, FontFamily::Monospace)
}

/// Sets fonts and both styles; which of them is shown follows the system.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts());
    ctx.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.button_padding = egui::vec2(10.0, 4.0);
        style.spacing.scroll = egui::style::ScrollStyle::thin();
        style.interaction.selectable_labels = false;
        style.animation_time = 0.0;
        style.scroll_animation = egui::style::ScrollAnimation::none();
        style.text_styles = [
            (TextStyle::Small, plain(11.5)),
            (TextStyle::Body, plain(13.0)),
            (TextStyle::Button, plain(13.0)),
            (TextStyle::Heading, strong(14.0)),
            (TextStyle::Monospace, mono(12.5)),
        ]
        .into();
    });
    ctx.set_visuals_of(Theme::Dark, visuals(&DARK, Visuals::dark()));
    ctx.set_visuals_of(Theme::Light, visuals(&LIGHT, Visuals::light()));
}

fn visuals(p: &Palette, mut v: Visuals) -> Visuals {
    v.panel_fill = p.ground;
    v.window_fill = p.panel;
    v.extreme_bg_color = p.raised;
    v.window_stroke = Stroke::new(1.0, p.line);
    v.override_text_color = Some(p.text);
    v.hyperlink_color = p.link;
    v.selection.bg_fill = p.selected;
    v.selection.stroke = Stroke::new(1.0, p.text);
    let radius = CornerRadius::same(5);
    for (state, fill) in [
        (&mut v.widgets.noninteractive, p.panel),
        (&mut v.widgets.inactive, p.button),
        (&mut v.widgets.hovered, p.button_hover),
        (&mut v.widgets.active, p.selected),
        (&mut v.widgets.open, p.button_hover),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::NONE;
        state.fg_stroke = Stroke::new(1.0, p.text);
        state.corner_radius = radius;
        state.expansion = 0.0;
    }
    v.widgets.noninteractive.bg_stroke = Stroke::new(1.0, p.line);
    v
}

/// Inter for words, in two weights of one file; Hack, which egui brings, for programs and for the
/// signs that Inter's Latin part has not.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let inter = |weight: f32| {
        let coords = egui::epaint::text::VariationCoords::new([(b"wght", weight)]);
        let tweak = FontTweak { coords, ..FontTweak::default() };
        Arc::new(FontData::from_static(include_bytes!("../fonts/Inter.ttf")).tweak(tweak))
    };
    fonts.font_data.insert("inter".to_string(), inter(430.0));
    fonts.font_data.insert("inter-strong".to_string(), inter(620.0));
    let mut plain = vec!["inter".to_string(), "Hack".to_string()];
    let fallbacks = fonts.families.get(&FontFamily::Proportional).cloned().unwrap_or_default();
    plain.extend(fallbacks);
    let mut strong = plain.clone();
    strong[0] = "inter-strong".to_string();
    fonts.families.insert(FontFamily::Proportional, plain);
    fonts.families.insert(FontFamily::Name(STRONG.into()), strong);
    fonts
}
