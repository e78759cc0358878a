//! The window of Raddle: interleavings as lanes, with the source beside them, steered by hand.
//!
//! It is a face of the workspace's host like the editor, and shows what the session shows: a
//! selection or a choice made in one face is seen in all. The way of a click: a panel
//! ([`panels`]) makes it a deed, [`model`] turns the deed into commands, [`link`] carries them to
//! the host, and what the host answers comes back as news and changes the model; the next frame
//! is drawn from that. Panels keep nothing of their own but where they are scrolled to.

pub mod app;
pub mod arguments;
mod deciding;
pub mod geometry;
pub mod keys;
pub mod layout;
pub mod link;
pub mod messages;
pub mod model;
pub mod panels;
pub mod standing;
pub mod theme;
