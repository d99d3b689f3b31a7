//! A build order as a picture.

use crate::needs::{Need, graph, reach};
use crate::order::Order;
use petgraph::Direction;
use rocpkg_render::escape_xml;
use rocpkg_resolve::Planned;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The distance between stages, the height of a row, and the width of a letter, in pixels.
const GRID: (usize, usize, usize) = (200, 30, 8);

impl Order {
    /// The packages of the stages with what they need of each other, for Graphviz: a rank for each stage, from the left.
    pub fn dot(&self) -> String {
        let mut out = format!("digraph {:?} {{\n  rankdir=RL;\n  node [shape=box];\n", self.plan.distro_name);
        for stage in &self.stages {
            let names: Vec<_> = stage.iter().map(|id| format!("{:?};", self.name(id))).collect();
            let _ = writeln!(out, "  {{ rank=same; {} }}", names.join(" "));
        }
        for (need, is_broken) in self.drawn() {
            let kinds: Vec<_> = need.kinds.iter().map(|kind| kind.word()).collect();
            let loose = if is_broken { ", style=dashed, constraint=false" } else { "" };
            let (from, to) = (self.name(&need.from), self.name(&need.to));
            let _ = writeln!(out, "  {from:?} -> {to:?} [tooltip={:?}{loose}];", kinds.join(" "));
        }
        out + "}\n"
    }

    /// The same as SVG: a column for each stage. What another need leads to as well is not drawn.
    pub fn svg(&self) -> String {
        let (wide, high, letter) = GRID;
        let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut boxes = String::new();
        let needs: Vec<_> = self.drawn().collect();
        let below = graph(needs.iter().map(|(need, _)| *need));
        for (column, stage) in self.stages.iter().enumerate() {
            // Each as high as what it needs stands in the middle.
            let middle = |id: &str| {
                let rows: Vec<_> = below.neighbors(id).filter_map(|to| places.get(to)).collect();
                rows.iter().map(|(_, y)| y).sum::<usize>() / rows.len().max(1)
            };
            let mut stage: Vec<&str> = stage.iter().map(String::as_str).collect();
            stage.sort_by_cached_key(|id| middle(id));
            for (row, id) in stage.into_iter().enumerate() {
                let (x, y) = (column * wide + letter, row * high + letter);
                let name = self.name(id);
                let _ = writeln!(
                    boxes,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"20\" rx=\"3\"/>\
                     <text x=\"{}\" y=\"{}\" fill=\"black\" stroke=\"none\">{}</text>",
                    name.len() * letter + letter,
                    x + letter / 2,
                    y + 14,
                    escape_xml(name),
                );
                places.insert(id, (x, y));
            }
        }
        let mut lines = String::new();
        // Whether a longer way leads to the same.
        let all = graph(&self.needs);
        let leads_there_too = |need: &Need| {
            let others = all.neighbors(&need.from).filter(|to| *to != need.to);
            reach(&all, others, Direction::Outgoing).contains(need.to.as_str())
        };
        for (need, is_broken) in needs.iter().filter(|(need, _)| !leads_there_too(need)) {
            let (Some((x, y)), Some((to_x, to_y))) =
                (places.get(need.from.as_str()), places.get(need.to.as_str()))
            else {
                continue;
            };
            let right = to_x + self.name(&need.to).len() * letter + letter;
            let (y, to_y, bend) = (y + 10, to_y + 10, x.saturating_sub(40));
            let loose = if *is_broken { " stroke-dasharray=\"4\"" } else { "" };
            let _ = writeln!(
                lines,
                "<path d=\"M{x} {y}C{bend} {y} {} {to_y} {right} {to_y}\"{loose}><title>{} needs {}</title></path>",
                right + 40,
                escape_xml(self.name(&need.from)),
                escape_xml(self.name(&need.to)),
            );
        }
        let rows = self.stages.iter().map(Vec::len).max().unwrap_or_default();
        let (across, down) = (self.stages.len() * wide, rows * high + letter);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{across}\" height=\"{down}\" viewBox=\"0 0 {across} {down}\" font-family=\"monospace\" font-size=\"13\" role=\"img\">\n\
             <title>{} {}: what is built after what</title>\n\
             <g fill=\"none\" stroke=\"gray\">\n{lines}</g>\n<g fill=\"white\" stroke=\"black\" stroke-width=\".5\">\n{boxes}</g>\n</svg>\n",
            escape_xml(&self.plan.distro_name),
            self.plan.version,
        )
    }

    /// The distribution's name for a package.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.plan.get(id).map_or(id, |p: &Planned| p.name.as_str())
    }

    /// The needs between the packages of the stages, and whether they are broken.
    pub fn drawn(&self) -> impl Iterator<Item = (&Need, bool)> {
        let all: BTreeSet<&str> = self.stages.iter().flatten().map(String::as_str).collect();
        let needs = self.needs.iter().map(|need| (need, false));
        let needs = needs.chain(self.broken.iter().map(|need| (need, true)));
        needs.filter(move |(need, _)| all.contains(need.from.as_str()) && all.contains(need.to.as_str()))
    }
}
