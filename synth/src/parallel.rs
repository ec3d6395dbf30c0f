//! Work on many items, some at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the work on every item, so many at once; gives the results in order, or the first error of them. After an error
/// nothing new is begun.
///
/// # Errors
/// Those of the work.
///
/// # Panics
/// The work panics.
pub fn in_parallel<T: Sync, R: Send, E: Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<R, E>>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < items.len())
                {
                    let result = work(&items[index]);
                    if result.is_err() {
                        next.store(items.len(), Ordering::Relaxed); // what is left need not be done
                    }
                    *results[index].lock().expect("nobody panics with it") = Some(result);
                }
            });
        }
    });
    // items that were left are behind or beside an error, so that `collect` meets the error
    let done = results.into_iter().filter_map(|slot| slot.into_inner().expect("nobody panics with it"));
    done.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_parallel_keeps_its_order_and_tells_errors() {
        let items: Vec<u32> = (0..100).collect();
        let doubled = in_parallel(&items, 2, |item| Ok::<_, String>(item * 2)).expect("nothing fails");
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        let failed = in_parallel(&items, 2, |&item| if item == 7 { Err("seven") } else { Ok(item) });
        assert_eq!(failed, Err("seven"));
        assert_eq!(in_parallel(&[], 2, |item: &u32| Ok::<_, String>(*item)), Ok(vec![]));
    }
}
