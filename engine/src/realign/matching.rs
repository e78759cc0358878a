//! Two sequences laid beside each other, as texts are compared line by line: which of one is which of the
//! other, both in order, so that what is matched agrees as much as possible in all.

use super::execution_digest::Item;

/// What it costs to leave a stored step out for the sake of what comes after it. People add more often than they
/// take away, and what is not to be seen yet is not gone.
const LEFT_OUT: i64 = 2;

/// Longest stretches that are compared each with each. Longer sequences are matched stretch by stretch.
const MOST: usize = 400;

/// For each of `n` the index among `m` of what it is, if any: the sum of `score` is greatest, and of equally
/// good ones it is the one that matches what comes first; leaving out costs a little ([`LEFT_OUT`]). Where `same`, nothing
/// can agree more.
pub fn matched(
    n: usize,
    m: usize,
    same: impl Fn(usize, usize) -> bool,
    score: impl Fn(usize, usize) -> u32,
) -> Vec<Option<usize>> {
    let mut found = vec![None; n];
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        if same(i, j) {
            found[i] = Some(j);
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (rows, columns) = ((n - i).min(MOST), (m - j).min(MOST));
        let pairs = best(rows, columns, |a, b| score(i + a, j + b));
        let is_rest = rows == n - i && columns == m - j;
        // What lies near the end may go better with what comes behind it.
        let sure = |(a, b): (usize, usize)| is_rest || a < rows / 2 && b < columns / 2;
        let kept = pairs.iter().take_while(|pair| sure(**pair)).count();
        let kept = &pairs[..kept.max(1).min(pairs.len())];
        kept.iter().for_each(|(a, b)| found[i + a] = Some(j + b));
        (i, j) = match kept.last() {
            _ if is_rest => return found,
            Some((a, b)) => (i + a + 1, j + b + 1),
            // All of it is new.
            None => (i, j + columns.div_ceil(2)),
        };
    }
    found
}

/// The pairs of two stretches whose sum of `score` is greatest, less what leaving out costs.
fn best(n: usize, m: usize, score: impl Fn(usize, usize) -> u32) -> Vec<(usize, usize)> {
    // best[i][j]: of what is left from i and j on.
    let width = m + 1;
    let mut best = vec![0i64; (n + 1) * width];
    let gain = |i: usize, j: usize, best: &[i64]| match score(i, j) {
        0 => 0,
        score => i64::from(score) + best[(i + 1) * width + j + 1],
    };
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let skip = (best[(i + 1) * width + j] - LEFT_OUT).max(best[i * width + j + 1]);
            best[i * width + j] = gain(i, j, &best).max(skip);
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < n && j < m && best[i * width + j] > 0 {
        let here = best[i * width + j];
        if gain(i, j, &best) == here {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i * width + j + 1] == here {
            j += 1;
        } else {
            i += 1;
        }
    }
    pairs
}

/// Matches what a thread does from these indices on. Behind a gap the place is found by how often
/// the operation had been done.
pub fn courses(
    stored: &[Item],
    now: &[Item],
    same: impl Fn(usize, usize) -> bool,
    score: impl Fn(usize, usize) -> u32,
) -> Vec<Option<usize>> {
    let mut found = Vec::with_capacity(stored.len());
    let mut from = 0;
    while found.len() < stored.len() {
        let begin = found.len();
        let gap = stored[begin + 1..].iter().position(|item| item.behind_gap);
        let end = gap.map_or(stored.len(), |g| begin + 1 + g);
        let until = stored.get(end..).and_then(|rest| anchor(rest, &now[from..], &same));
        let until = until.map_or(now.len(), |at| from + at);
        let (a, b) = (&stored[begin..end], &now[from..until]);
        let part =
            matched(a.len(), b.len(), |i, j| same(a[i].does, b[j].does), |i, j| score(a[i].does, b[j].does));
        found.extend(part.into_iter().map(|at| at.map(|at| from + at)));
        from = until;
    }
    found
}

/// Where what comes behind a gap begins.
fn anchor(rest: &[Item], now: &[Item], same: impl Fn(usize, usize) -> bool) -> Option<usize> {
    let first = rest.first()?;
    now.iter().position(|item| same(first.does, item.does) && item.time == first.time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters are operations; capitals are much like small ones.
    fn check(stored: &str, now: &str, expected: &str) {
        let (a, b): (Vec<char>, Vec<char>) = (stored.chars().collect(), now.chars().collect());
        let score = |i: usize, j: usize| match (a[i] == b[j], a[i].eq_ignore_ascii_case(&b[j])) {
            (true, _) => 11,
            (_, true) => 6,
            _ => 0,
        };
        let found = matched(a.len(), b.len(), |i, j| a[i] == b[j], score);
        let text: String = found.iter().map(|f| f.map_or('-', |j| (b'0' + j as u8) as char)).collect();
        assert_eq!(text, expected, "{stored} in {now}");
    }

    #[test]
    fn what_is_new_is_passed_by_and_what_is_gone_is_left_out() {
        check("abc", "abc", "012");
        check("abc", "axbyc", "024");
        check("abxc", "abc", "01-2");
        check("abc", "aBc", "012");
        check("abab", "ab", "01--");
        check("lmu", "lulmu", "034");
        check("lu", "LUlu", "23");
        check("abc", "", "---");
    }

    /// Something new before each of them, and longer than what is compared at once.
    #[test]
    fn long_sequences_are_matched_stretch_by_stretch() {
        let stored: Vec<usize> = (0..5_000).map(|i| i % 7).collect();
        let now: Vec<usize> = stored.iter().flat_map(|s| [9, *s]).collect();
        let same = |i: usize, j: usize| stored[i] == now[j];
        let found = matched(stored.len(), now.len(), same, |i, j| 11 * u32::from(same(i, j)));
        assert!(found.iter().enumerate().all(|(i, f)| *f == Some(2 * i + 1)));
        // Far more that is new than is compared at once.
        let late: Vec<usize> = [9].repeat(3 * MOST).into_iter().chain(stored.clone()).collect();
        let same = |i: usize, j: usize| stored[i] == late[j];
        let found = matched(stored.len(), late.len(), same, |i, j| 11 * u32::from(same(i, j)));
        assert!(found.iter().enumerate().all(|(i, f)| *f == Some(3 * MOST + i)));
    }

    #[test]
    fn behind_a_gap_the_number_of_times_counts() {
        let item = |does, time, behind_gap| Item { at: Some(0), does, time, behind_gap };
        let stored = [item(0, 0, false), item(1, 0, false), item(0, 3, true), item(1, 3, false)];
        let now: Vec<Item> = (0..10).map(|i| item(i % 2, i as u32 / 2, false)).collect();
        let found = courses(&stored, &now, |a, b| a == b, |a, b| u32::from(a == b));
        assert_eq!(found, [Some(0), Some(1), Some(6), Some(7)]);
    }
}
