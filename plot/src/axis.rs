//! Axes: from values to places, and which values are written beside them.

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it counts.
    pub label: String,
    /// The least value shown; above zero on a logarithmic axis.
    pub from: f64,
    /// The greatest.
    pub to: f64,
    /// Equal distances are equal ratios.
    pub log: bool,
}

impl Axis {
    /// From zero, in equal steps.
    pub fn linear(label: &str, to: f64) -> Axis {
        Axis { label: label.to_string(), from: 0.0, to: to.max(1.0), log: false }
    }

    /// From one, in equal ratios.
    pub fn log(label: &str, to: f64) -> Axis {
        Axis { label: label.to_string(), from: 1.0, to: to.max(10.0), log: true }
    }

    /// Logarithmic where a linear one would press most of the values together.
    pub fn counting(label: &str, to: f64) -> Axis {
        if to > 60.0 { Axis::log(label, to) } else { Axis::linear(label, to) }
    }

    /// Where a value is, from 0 to 1.
    pub fn at(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value.max(self.from) / self.from).ln() / (self.to / self.from).ln(),
            false => (value - self.from) / (self.to - self.from),
        };
        share.clamp(0.0, 1.0)
    }

    /// Values with a line across, and whether they are written beside it.
    pub fn ticks(&self) -> Vec<(f64, bool)> {
        if self.log { self.ratios() } else { self.steps() }
    }

    /// 1, 2 or 5 times a power of ten from one to the next, four to eight of them.
    fn steps(&self) -> Vec<(f64, bool)> {
        let span = self.to - self.from;
        let power = 10f64.powf((span / 6.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|s| span / s <= 8.0);
        let step = step.unwrap_or(10.0 * power).max(1.0);
        let first = (self.from / step).ceil() as u64;
        let last = (self.to / step + 1e-9).floor() as u64;
        (first..=last).map(|n| (n as f64 * step, true)).collect()
    }

    /// Powers of ten, and their multiples between them.
    fn ratios(&self) -> Vec<(f64, bool)> {
        let decades = (self.to / self.from).log10();
        let mut ticks = Vec::new();
        let mut power = 10f64.powf(self.from.log10().floor());
        while power <= self.to {
            for n in 1..10 {
                let value = power * f64::from(n);
                let written = n == 1 || (decades < 2.5 && [2, 5].contains(&n));
                if value >= self.from && value <= self.to * (1.0 + 1e-9) && (written || decades < 7.0) {
                    ticks.push((value, written));
                }
            }
            power *= 10.0;
        }
        ticks
    }
}

/// As it stands beside an axis: `2,000`, `20k`, `3M`.
pub fn short(n: f64) -> String {
    match n {
        n if n >= 1e6 && n % 1e5 == 0.0 => format!("{}M", n / 1e6),
        n if n >= 1e4 && n % 1e3 == 0.0 => format!("{}k", n / 1e3),
        n => grouped(n),
    }
}

/// `12,345`.
pub fn grouped(n: f64) -> String {
    let digits = format!("{n:.0}");
    let first = digits.len() % 3;
    let mut out = digits[..first].to_string();
    for (i, group) in digits.as_bytes()[first..].chunks(3).enumerate() {
        if i > 0 || first > 0 {
            out.push(',');
        }
        out.extend(group.iter().map(|b| char::from(*b)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        let written = |axis: Axis| -> Vec<String> {
            axis.ticks().into_iter().filter(|(_, w)| *w).map(|(v, _)| short(v)).collect()
        };
        assert_eq!(written(Axis::linear("", 5.0)), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(written(Axis::linear("", 100.0)), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(written(Axis::linear("", 25_000.0)), ["0", "5,000", "10k", "15k", "20k", "25k"]);
        assert_eq!(written(Axis::log("", 300.0)), ["1", "2", "5", "10", "20", "50", "100", "200"]);
        assert_eq!(written(Axis::log("", 1e4)), ["1", "10", "100", "1,000", "10k"]);
        assert_eq!(
            (short(2e6), short(2.5e6), short(12_345.0)),
            ("2M".into(), "2.5M".into(), "12,345".into())
        );
        assert_eq!(written(Axis::linear("", 0.0)), ["0", "1"]);
    }

    #[test]
    fn values_have_places() {
        let (linear, log) = (Axis::linear("", 10.0), Axis::log("", 100.0));
        assert_eq!((linear.at(0.0), linear.at(5.0), linear.at(20.0)), (0.0, 0.5, 1.0));
        assert_eq!((log.at(0.0), log.at(10.0), log.at(100.0)), (0.0, 0.5, 1.0));
    }
}
