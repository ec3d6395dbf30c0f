//! Outputs of a cluster that are valid only under another output.

/// Which bit of which other output says that an output means something; `None` if it always does. For
/// [`PinRecorder`](crate::engine::pins::PinRecorder).
pub fn qualified_by(output: &str) -> Option<(String, u32)> {
    // `rsp_data_1_0`: port 0 of CTA 1
    for field in ["rsp_tag_", "rsp_status_", "rsp_predicate_", "rsp_data_"] {
        if let Some((cta, port)) = output.strip_prefix(field).and_then(|lanes| lanes.split_once('_')) {
            return Some((format!("rsp_valid_{cta}"), port.parse().ok()?));
        }
    }
    if let Some((cta, _)) = output.strip_prefix("mem_wr_data_").and_then(|lanes| lanes.split_once('_')) {
        return Some((format!("mem_wr_valid_{cta}"), 0));
    }
    for field in ["warp_mem_lower_", "warp_mem_upper_"] {
        if let Some((cta, _)) = output.strip_prefix(field).and_then(|lanes| lanes.split_once('_')) {
            return Some((format!("warp_mem_valid_{cta}"), 0));
        }
    }
    let (field, cta) = output.rsplit_once('_')?;
    let valid = match field {
        "mem_req_address" | "mem_req_beats" | "mem_req_narrow" | "mem_req_id" => "mem_req_valid",
        "bar_rsp_warp" | "bar_rsp_lanes" | "bar_rsp_status" => "bar_rsp_valid",
        "tensor_end_verdict" => "tensor_end_valid",
        "mem_wr_address" | "mem_wr_strobe" | "mem_wr_reduction" | "mem_wr_id" | "mem_wr_last" => "mem_wr_valid",
        "warp_mem_tag" | "warp_mem_lanes" | "warp_mem_status" => "warp_mem_valid",
        _ if field.starts_with("warp_rsp_") && field != "warp_rsp_valid" => "warp_rsp_valid",
        _ => return None,
    };
    Some((format!("{valid}_{cta}"), 0))
}

#[cfg(test)]
mod tests {
    use super::qualified_by;

    #[test]
    fn what_qualifies_an_output() {
        assert_eq!(qualified_by("rsp_data_1_0"), Some(("rsp_valid_1".to_owned(), 0)));
        assert_eq!(qualified_by("rsp_tag_0_5"), Some(("rsp_valid_0".to_owned(), 5)));
        assert_eq!(qualified_by("mem_req_beats_3"), Some(("mem_req_valid_3".to_owned(), 0)));
        assert_eq!(qualified_by("bar_rsp_lanes_2"), Some(("bar_rsp_valid_2".to_owned(), 0)));
        assert_eq!(qualified_by("warp_rsp_data_1"), Some(("warp_rsp_valid_1".to_owned(), 0)));
        assert_eq!(qualified_by("warp_mem_upper_0_3"), Some(("warp_mem_valid_0".to_owned(), 0)));
        assert_eq!(qualified_by("warp_mem_tag_1"), Some(("warp_mem_valid_1".to_owned(), 0)));
        assert_eq!(qualified_by("mem_wr_data_1_3"), Some(("mem_wr_valid_1".to_owned(), 0)));
        assert_eq!(qualified_by("mem_wr_last_0"), Some(("mem_wr_valid_0".to_owned(), 0)));
        for always in [
            "rsp_valid_0",
            "warp_rsp_valid_0",
            "warp_req_ready_0",
            "mem_req_valid_1",
            "mem_rsp_ready_0",
            "mem_wr_valid_0",
            "bulk_status_0",
            "copy_done_3",
        ] {
            assert_eq!(qualified_by(always), None, "{always}");
        }
    }
}
