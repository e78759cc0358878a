//! Refusals of options that cannot be used together, and warnings of names that nothing has.

use super::Args;
use crate::error::{Error, Result};
use crate::options::{self, Program, configured};
use crate::search::{Explored, focus};
use crate::target::{self, Target};
use raddle_engine::Order;
use raddle_protocol::report::Warning;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

impl Args {
    /// All tests share a build, so none may have schedule points of its own that are put into the source.
    pub(super) fn check_builds(&self) -> Result<()> {
        let build = |args: &Args| {
            let statements = options::statements(args.granularity, &args.run.program.points_at);
            (statements, target::counts_at(args.granularity))
        };
        let other = self.by_test.iter().find(|(_, args)| build(args) != build(self));
        let Some((name, args)) = other else { return Ok(()) };
        let origin = self.settings.tests.get(name).map(|t| t.origin.to_string()).unwrap_or_default();
        let what = format!("{origin}: the test `{name}` has --granularity {} of its own", args.granularity);
        Err(Error::new(what)
            .because(format!(
                "the program is built otherwise for it than for --granularity {}",
                self.granularity
            ))
            .next("set `granularity` and `points-at` for all tests, or on the command line"))
    }

    /// Warns, once, of tables of tests that the target does not have. A table in the folder of one source may be for
    /// another source of it, and one further up for any.
    pub(super) fn warn_of_unknown_tests(&self, target: &Target) {
        // The table may be for a test that was not built.
        if self.run.program.build.cargo.is_narrowed() {
            return;
        }
        static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let path = Path::new(&self.target);
        let is_whole = path.is_dir() || self.target.ends_with(".toml");
        let folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_path_buf));
        let beside = if is_whole || self.settings.tests.is_empty() { None } else { folder };
        let others = beside.as_deref().map(target::tests_of_sources).unwrap_or_default();
        let own = target.tests.iter().map(|t| t.name.as_str());
        let names: Vec<&str> = own.chain(others.iter().map(String::as_str)).collect();
        for (name, test) in self.settings.tests.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
            if !is_whole && test.origin.file.parent() != beside.as_deref() {
                continue;
            }
            let near = target::near(name, &names);
            let told = format!("{}: no test of {} has the name `{name}` ({near})", test.origin, target.named);
            if WARNED.lock().is_ok_and(|mut warned| warned.insert(told.clone())) {
                eprintln!("warning: {told}");
            }
        }
    }

    /// Is this combination of options one that can be searched?
    pub fn check(&self) -> Result<()> {
        if let Err(refusal) = raddle_engine::check(&self.config()) {
            let refusal = refusal.to_string();
            let next = configured::next_step(&self.settings.base, &refusal);
            return Err(Error::new(refusal).next(next.unwrap_or_else(|| "choose another combination".into())));
        }
        for (name, args) in &self.by_test {
            let Some(test) = self.settings.tests.get(name) else { continue };
            args.check().map_err(|e| {
                let next =
                    configured::next_step(&test.section, &e.what).or(e.next.clone()).unwrap_or_default();
                Error::new(format!("{}: the settings of the test `{name}` cannot be used", test.origin))
                    .because(e)
                    .next(next)
            })?;
        }
        let focus =
            [("--focus-method", &self.focus_method, "method"), ("--focus-var", &self.focus_var, "var")];
        for (option, names, function) in focus {
            let heeded =
                matches!(self.order(), Order::Priorities(list) if list.iter().any(|n| n == function));
            if let Some(name) = names.first().filter(|_| !heeded) {
                let what = format!("{option} {name}: --order {} does not heed it", self.order());
                return Err(Error::new(what).next(format!("leave --order out, or name {function} in it")));
            }
        }
        self.check_order()
    }

    /// An order by a focus needs one, unless it may be set while the search runs.
    fn check_order(&self) -> Result<()> {
        let by_focus = |n: &&String| ["method", "var"].contains(&n.as_str());
        let Some(Order::Priorities(list)) = &self.order else { return Ok(()) };
        match list.iter().find(by_focus) {
            Some(named) if self.focus().is_empty() && !self.attach && !self.is_led => {
                let what = format!(
                    "--order {}: {named} prefers what a focus names, and there is none",
                    Order::Priorities(list.clone())
                );
                Err(Error::new(what).next("name functions (--focus-method) or variables (--focus-var)"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses names of functions with points, or trusted ones, that nothing had, now that the tests were
    /// run: what was explored depends on them.
    pub fn check_points(&self, target: &Target, all: &[Explored]) -> Result<()> {
        let run: BTreeSet<&str> = all.iter().map(|e| e.report.test.as_str()).collect();
        let programs: Vec<&Program> = run.iter().map(|test| &self.of_test(test).run.program).collect();
        let names = |of: fn(&Program) -> &Vec<String>| -> Vec<String> {
            let names: BTreeSet<&String> = programs.iter().flat_map(|program| of(program)).collect();
            names.into_iter().cloned().collect()
        };
        focus::check_after(focus::POINTS_AT, &names(|p| &p.points_at), target, entered(all))?;
        focus::check_after(focus::TRUST, &names(|p| &p.trust), target, entered(all))
    }

    /// A function or variable that is prioritised and that these tests did not meet. It says what
    /// comes first, and nothing else: the executions are the same, and so is what came of them.
    pub fn unmet_focus(&self, target: &Target, all: &[Explored]) -> Option<Warning> {
        let met = all.iter().flat_map(|e| e.variables.iter().cloned()).collect();
        let unmet = focus::check_after(focus::METHOD, &self.focus_method, target, entered(all))
            .and_then(|()| focus::check_variables(&self.focus_var, &met))
            .err()?;
        let next = unmet.next.map(|next| format!(" ({next})")).unwrap_or_default();
        Some(Warning { kind: "focus".into(), message: unmet.what + &next, location: None, replay: None })
    }

    /// Refuses what has no meaning for searches that begin again and again.
    pub fn check_watched(&self) -> Result<()> {
        let flags =
            [("--attach", self.attach), ("--ci", self.ci.is_on()), ("--coverage", self.coverage.is_some())];
        let flag = flags.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option);
        match flag.or_else(|| self.files.named().first().map(|(option, _)| *option)) {
            Some(option) => {
                Err(Error::new(format!("raddle watch takes no {option}")).next("use raddle explore"))
            }
            None => self.check(),
        }
    }
}

fn entered(all: &[Explored]) -> focus::Names {
    all.iter().flat_map(|e| e.entered.iter().cloned()).collect()
}
