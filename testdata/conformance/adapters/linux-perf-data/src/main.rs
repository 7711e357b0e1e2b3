// SPDX-License-Identifier: CC0-1.0
//! linux-perf-data, the crate that samply reads recordings with: the types and sizes of records, and the fields that both the crate and the cases name
//! alike. The crate gives records in the order of time and without their offsets.
use linux_perf_data::linux_perf_event_reader::{EventRecord, RawData};
use linux_perf_data::{PerfFileReader, PerfFileRecord};
use std::process::exit;

const KERNEL: [&str; 22] = [
    "mmap", "lost", "comm", "exit", "throttle", "unthrottle", "fork", "read", "sample", "mmap2", "aux", "itrace_start", "lost_samples", "switch",
    "switch_cpu_wide", "namespaces", "ksymbol", "bpf_event", "cgroup", "text_poke", "aux_output_hw_id", "callchain_deferred",
];
const USER: [&str; 23] = [
    "attr", "event_type", "tracing_data", "build_id", "finished_round", "id_index", "auxtrace_info", "auxtrace", "auxtrace_error", "thread_map", "cpu_map",
    "stat_config", "stat", "stat_round", "event_update", "time_conv", "feature", "compressed", "finished_init", "compressed2", "bpf_metadata",
    "schedstat_cpu", "schedstat_domain",
];

fn name(number: u32) -> &'static str {
    let index = number as usize;
    if index >= 64 {
        return USER.get(index - 64).copied().unwrap_or("unknown");
    }
    if index == 0 { "unknown" } else { KERNEL.get(index - 1).copied().unwrap_or("unknown") }
}

/// A text as JSON: other than plain ASCII does not occur in the cases that are compared by text.
fn text(bytes: &RawData) -> String {
    let mut json = String::from("\"");
    for &byte in bytes.as_slice().iter() {
        match byte {
            b'"' | b'\\' => {
                json.push('\\');
                json.push(byte as char)
            }
            0x20..=0x7e => json.push(byte as char),
            _ => json.push_str(&format!("\\u{:04x}", byte)),
        }
    }
    json + "\""
}

/// The record's own fields, each with a comma before it.
fn fields(record: &EventRecord) -> String {
    let mut json = String::new();
    match record {
        EventRecord::Sample(sample) => {
            if let Some(ip) = sample.ip {
                json += &format!(",\"ip\":\"0x{:x}\"", ip);
            }
            if let Some(time) = sample.timestamp {
                json += &format!(",\"time\":{}", time);
            }
            if let Some(period) = sample.period {
                json += &format!(",\"period\":{}", period);
            }
        }
        EventRecord::Comm(comm) => json += &format!(",\"comm\":{}", text(&comm.name)),
        EventRecord::Fork(task) | EventRecord::Exit(task) => json += &format!(",\"time\":{}", task.timestamp),
        EventRecord::Throttle(throttle) | EventRecord::Unthrottle(throttle) => json += &format!(",\"time\":{}", throttle.timestamp),
        EventRecord::Mmap(map) => json += &format!(",\"filename\":{}", text(&map.path)),
        EventRecord::Mmap2(map) => json += &format!(",\"filename\":{}", text(&map.path)),
        _ => {}
    }
    json
}

fn print(number: u32, misc: u16, body: usize, more: &str) {
    println!("{{\"type\":\"{}\",\"size\":{},\"misc_raw\":{}{}}}", name(number), body + 8, misc, more);
}

fn read(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let file = std::io::BufReader::new(std::fs::File::open(path)?);
    let PerfFileReader { mut perf_file, mut record_iter } = PerfFileReader::parse_file(file)?;
    while let Some(record) = record_iter.next_record(&mut perf_file)? {
        match record {
            PerfFileRecord::EventRecord { record, .. } => {
                let parsed = record.parse()?;
                print(record.record_type.0, record.misc, record.data.len(), &fields(&parsed));
            }
            PerfFileRecord::UserRecord(record) => {
                record.parse()?;
                print(record.record_type.record_type().0, record.misc, record.data.len(), "");
            }
        }
    }
    Ok(())
}

fn main() {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if argument == "--about" {
        println!(
            "{{\"reader\":\"linux-perf-data\",\"keys\":[\"type\",\"size\",\"misc_raw\",\"sample.ip\",\"sample.time\",\"sample.period\",\"comm.comm\",\
             \"fork.time\",\"exit.time\",\"throttle.time\",\"unthrottle.time\",\"mmap.filename\",\"mmap2.filename\"]}}"
        );
        return;
    }
    if let Err(error) = read(&argument) {
        eprintln!("{}: {}", argument, error);
        exit(1);
    }
}
