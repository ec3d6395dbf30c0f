//! Writes the Verilog of one design of each kind to a directory, so that two versions of the hardware can be compared:
//!
//! ```text
//! cargo run -p txbar-export --example designs -- DIRECTORY     before a change, and after it into another
//! diff -rI '//' BEFORE AFTER                                   nothing, or lines that moved
//! ```

use std::path::Path;
use txbar_export::verilog::{self, Engine, Export};
use txbar_rtl::board::parameters::BoardParameters;
use txbar_rtl::cluster::parameters::ClusterParameters;
use txbar_rtl::parameters::Parameters;
use txbar_rtl::warp::parameters::WarpParameters;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("the directory to write to is missing")?;
    std::fs::create_dir_all(&directory)?;
    for (name, export) in designs()? {
        std::fs::write(Path::new(&directory).join(name + ".v"), export.text)?;
    }
    Ok(())
}

fn designs() -> Result<Vec<(String, Export)>, Box<dyn std::error::Error>> {
    let unit = Parameters::default();
    let few = Parameters { ports: 2, banks: 4, words: 64, waiters: 8, counters: false, ..unit };
    let units = [
        Parameters { ports: 1, banks: 1, waiters: 0, counters: false, ..unit },
        Parameters { counters: true, ..few },
        Parameters { checked: true, ..few },
        Parameters { wake_mask: true, whole_groups: true, ..few },
        Parameters { wake_mask: true, checked: true, ..few },
        Parameters::high_clock(64),
        Parameters { waiters: 0, counters: false, ..Parameters::high_clock(64) },
        Parameters::banked_high_clock(2, 2),
    ];
    let cluster =
        ClusterParameters { unit: few, ctas: 2, lanes: 4, tensors: 2, warp_memory: true, ..Default::default() };
    let clusters = [
        cluster,
        ClusterParameters { unit: Parameters { wake_mask: true, ..few }, warp_memory: false, lanes: 0, ..cluster },
        ClusterParameters { unit: Parameters { checked: true, ..few }, ctas: 1, tensors: 0, ..cluster },
    ];
    let warps = [true, false].map(|memory| WarpParameters { unit: few, lanes: 8, warp_ports: 1, memory });
    let boards = [
        BoardParameters::self_test(few, 8, 1000),
        BoardParameters::self_test(Parameters::high_clock(64), 8, 1000),
        BoardParameters::bridge(few, 8, 1000),
    ];
    let mut all = vec![("tensor".to_owned(), verilog::engine(Engine::Tensor, &cluster, "txbar")?)];
    for (number, parameters) in units.iter().enumerate() {
        all.push((format!("unit_{number}"), verilog::unit(parameters, "txbar")?));
    }
    for (number, parameters) in clusters.iter().enumerate() {
        all.push((format!("cluster_{number}"), verilog::cluster(&parameters.check()?, "txbar")?));
    }
    for (number, parameters) in warps.iter().enumerate() {
        all.push((format!("warps_{number}"), verilog::warp_unit(&parameters.check()?, "txbar")?));
    }
    for (number, parameters) in boards.iter().enumerate() {
        all.push((format!("board_{number}"), verilog::top(&parameters.check()?, "txbar")?));
    }
    Ok(all)
}
