//! txbar's testbench: reference model, engines, drivers, monitors and scoreboard.

pub mod asked;
pub mod case;
pub mod check;
pub mod checked;
pub mod cluster;
pub mod counted;
pub mod drawn;
pub mod engine;
pub mod input;
pub mod linearize;
pub mod litmus;
pub mod model;
pub mod monitor;
pub mod record;
pub mod reduction;
pub mod request;
pub mod resumed;
pub mod run;
pub mod scenario;
pub mod scoreboard;
pub mod shrink;
pub mod silicon;
pub mod tensor;
pub mod traffic;
pub mod warp;
pub mod wire;
