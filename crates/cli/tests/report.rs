//! Tests of the pages of `rocpkg report`: they agree with the output of `rocpkg gpu`, they link to
//! each other, and they load nothing else. Their look on a phone is not tested here.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn out(args: &[&str]) -> String {
    let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).unwrap()
}

/// Returns the pages by their paths.
fn pages(dir: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for folder in ["", "gpu/", "package/"] {
        for entry in fs::read_dir(dir.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if Path::new(&name).extension().is_some_and(|e| e == "html") {
                let path = format!("{folder}{name}");
                let text = fs::read_to_string(dir.join(&path)).unwrap();
                out.insert(path, text);
            }
        }
    }
    out
}

/// Returns each text between a `start` and the next `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> std::vec::IntoIter<&'a str> {
    let all: Vec<&str> = text
        .split(start)
        .skip(1)
        .map(|rest| rest.split(end).next().unwrap())
        .collect();
    all.into_iter()
}

/// Returns the rows of an answer about a GPU: the distribution, the package, and the text of the
/// package's cell in the pages.
fn said(on: &Value) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for d in on["distributions"].as_array().unwrap() {
        for p in d["packages"].as_array().unwrap() {
            let text = |v: &Value| v.as_str().unwrap().to_owned();
            let cell = match p["way"].as_str().unwrap() {
                "by-patches" | "by-generic" => format!("runs {}'s code", text(&p["code"])),
                "by-override" => {
                    format!(
                        "runs with HSA_OVERRIDE_GFX_VERSION={}",
                        text(&p["override"])
                    )
                }
                "packed" => format!("{}'s code, compressed", text(&p["code"])),
                "no-kernels" => "none".to_owned(),
                "unknown" => match p["likely"]["way"].as_str() {
                    Some("no-kernels") => "unknown, probably none".to_owned(),
                    Some("by-patches" | "by-generic") => "unknown, probably compatible".to_owned(),
                    Some("by-override") => "unknown, probably override".to_owned(),
                    Some(way) => format!("unknown, probably {way}"),
                    None => "unknown".to_owned(),
                },
                way => way.to_owned(),
            };
            let cell = cell.replace('\'', "&apos;");
            out.push((text(&d["distribution"]), text(&p["package"]), cell));
        }
    }
    out
}

#[test]
fn pages_say_what_the_command_says_and_lead_to_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().to_str().unwrap();
    out(&["report", "--out", at]);
    let pages = pages(dir.path());
    let gpus: Vec<&str> = pages
        .keys()
        .filter_map(|path| path.strip_prefix("gpu/")?.strip_suffix(".html"))
        .collect();
    assert!(gpus.len() > 40 && pages.len() > 80, "{} pages", pages.len());

    let answer: Value =
        serde_json::from_str(&out(&[&["gpu", "--json"], &gpus[..]].concat())).unwrap();
    let mut cells = 0;
    for (gpu, asked) in gpus.iter().zip(answer["gpus"].as_array().unwrap()) {
        let on = &asked["on"]
            .as_array()
            .unwrap()
            .iter()
            .find(|on| on["target"] == *gpu);
        // A target that the kernel reports as another one is answered by that one.
        let Some(on) = on else { continue };
        let beside: Value = serde_json::from_str(
            &fs::read_to_string(dir.path().join(format!("gpu/{gpu}.json"))).unwrap(),
        )
        .unwrap();
        for key in ["target", "declared", "distributions", "overrides"] {
            assert_eq!(beside[key], on[key], "{gpu}: {key}");
        }
        for (distro, package, way) in said(on) {
            let page = &pages[&format!("{distro}.html")];
            let row = between(page, &format!("\"package/{package}.html\">"), "</tr>")
                .next()
                .unwrap();
            let column = between(page, "<th scope=\"col\"><a href=\"gpu/", ".html")
                .position(|g| g == *gpu)
                .unwrap();
            let cell = between(row, "<span class=\"word\">", "</span>")
                .nth(column)
                .unwrap();
            assert_eq!(cell, way, "{distro}: {package} on {gpu}");
            let at = format!("<h2 id=\"{distro}\">");
            let part = |page: &str| between(&pages[page], &at, "<h2").next().unwrap();
            let row = between(
                part(&format!("gpu/{gpu}.html")),
                &format!("/{package}.html\">"),
                "</td>",
            );
            let cell = row.last().unwrap().rsplit_once("\">").unwrap().1;
            assert_eq!(cell, way, "gpu/{gpu}.html: {distro} {package}");
            let groups = between(
                part(&format!("package/{package}.html")),
                "<span class=\"support ",
                "</ul>",
            );
            let link = format!("/{gpu}.html\">{gpu}</a>");
            let groups: Vec<&str> = groups.filter(|group| group.contains(&link)).collect();
            assert_eq!(groups.len(), 1, "package/{package}.html: {distro} {gpu}");
            let text = between(groups[0], "</span> ", "</span>").next().unwrap();
            assert_eq!(text, way, "package/{package}.html: {distro} {gpu}");
            cells += 1;
        }
    }
    assert!(cells > 3000, "{cells} cells");
    check_pages(dir.path(), &pages);
    assert!(out(&["report", "--out", at]).contains(": 0 files written"));
}

#[test]
fn the_index_shows_a_bar_for_each_gpu_and_distribution() {
    let dir = tempfile::tempdir().unwrap();
    out(&["report", "--out", dir.path().to_str().unwrap()]);
    let read = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
    let index = read("index.html");
    let json: Value = serde_json::from_str(&read("index.json")).unwrap();
    for gpu in json["gpus"].as_array().unwrap() {
        let name = gpu["name"].as_str().unwrap();
        let at = format!("<a href=\"gpu/{name}.html\">{name}</a>");
        let row = between(&index, &at, "</tr>").next().unwrap();
        let on: Value = serde_json::from_str(&read(&format!("gpu/{name}.json"))).unwrap();
        let on = on["distributions"].as_array().unwrap();
        let bars: Vec<&str> = between(row, "<td data-is=\"", "</td>").collect();
        assert_eq!(bars.len(), on.len(), "{name}");
        for (bar, on) in bars.iter().zip(on) {
            let packages = on["packages"].as_array().unwrap();
            let count = |ways: &[&str]| {
                let ways = |p: &&Value| ways.contains(&p["way"].as_str().unwrap());
                packages.iter().filter(ways).count()
            };
            let counts = [
                ("native", count(&["native"])),
                ("compatible", count(&["by-patches", "by-generic"])),
                ("packed", count(&["packed"])),
                ("override", count(&["by-override"])),
                ("none", count(&["no-kernels"])),
                ("unknown", count(&["unknown"])),
            ];
            assert_eq!(counts.iter().map(|(_, n)| n).sum::<usize>(), packages.len());
            let counts = counts.iter().filter(|(_, n)| *n > 0);
            let text: Vec<String> = counts
                .clone()
                .map(|(word, n)| format!("{n} {word}"))
                .collect();
            let parts: String = counts
                .map(|(word, n)| format!("<span class=\"{word}\" style=\"flex-grow:{n}\"></span>"))
                .collect();
            let text = text.join(", ");
            assert_eq!(
                *bar,
                format!(
                    "{}\"><span class=\"bar\" role=\"img\" aria-label=\"{text}\" title=\"{text}\">{parts}</span>",
                    on["distribution"].as_str().unwrap()
                ),
                "{name}"
            );
        }
        // The first three names are shown, the others are folded away.
        let names: Vec<&str> = gpu["names"].as_str().unwrap().split(", ").collect();
        let cell = between(row, "<td class=\"names\">", "</td>")
            .next()
            .unwrap();
        let shown: Vec<&str> = between(cell, "<span>", "</span>").collect();
        assert_eq!(shown.join(", "), names.join(", "), "{name}");
        assert!(shown[0].split(", ").count() <= 3, "{name}: {}", shown[0]);
        assert_eq!(cell.contains("<details>"), names.len() > 3, "{name}");
    }
}

/// Returns the text of HTML without its tags, and with one space between words.
fn plain(html: &str) -> String {
    let text = html.split('<').map(|part| match part.split_once('>') {
        Some((_, text)) => text,
        None => part,
    });
    let text: String = text.collect::<Vec<_>>().join(" ").replace("&apos;", "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the texts of the cells of each row of a table.
fn cells(table: &str) -> Vec<Vec<String>> {
    let rows = between(table, "<tr", "</tr>");
    rows.map(|row| {
        let cells = row.split("<t").skip(1);
        cells.map(|cell| plain(&format!("<t{cell}"))).collect()
    })
    .collect()
}

#[test]
fn pages_begin_with_the_applications_that_people_run() {
    let dir = tempfile::tempdir().unwrap();
    out(&["report", "--out", dir.path().to_str().unwrap()]);
    let index = fs::read_to_string(dir.path().join("index.html")).unwrap();
    let section = |distro: &str| {
        let at = format!("<h2 id=\"{distro}\">");
        let part = between(&index, &at, "<h2").next().unwrap();
        let tables: Vec<Vec<Vec<String>>> =
            between(part, "<table>", "</table>").map(cells).collect();
        tables
    };
    let row = |distro: &str, gpu: &str| {
        let rows = section(distro).concat();
        let found = rows.iter().find(|row| row[0].ends_with(gpu)).unwrap();
        found.join(" | ")
    };
    let gentoo = section("gentoo");
    assert_eq!(
        gentoo[0][0].join(" | "),
        "GPU | PyTorch sci-ml/caffe2 | llama.cpp sci-misc/llama-cpp | Ollama sci-ml/ollama | \
         whisper.cpp app-accessibility/whisper-cpp | Blender media-gfx/blender | \
         MIOpen sci-libs/miopen | rocBLAS sci-libs/rocBLAS"
    );
    assert_eq!(gentoo[0][1][0], "RX 9070 XT, RX 9070, AI PRO R9700 gfx1201");
    let folded: Vec<&str> = gentoo[1].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(folded[..3], ["GPU", "gfx1310", "gfx1251"]);
    assert!(!folded.contains(&"gfx1030"), "{folded:?}");
    let rx_6800 = "RX 6950 XT, RX 6900 XT, RX 6800 XT, RX 6800 gfx1030";
    let unknown = "? unknown probably native";
    let arch = ["? unknown probably native"; 4].join(" | ");
    assert_eq!(
        [
            row("gentoo", "gfx1030"),
            row("arch", "gfx1030"),
            row("solus", "gfx1030")
        ],
        [
            format!(
                "{rx_6800} | = native | = native | = native | ? unknown | ? unknown | = native | = native"
            ),
            format!("{rx_6800} | {arch} | ? unknown | {unknown} | {unknown}"),
            format!(
                "{rx_6800} | = native | / not packaged | / not packaged | / not packaged | = native | \
                 = native | = native"
            ),
        ]
    );
    let deck = row("nixpkgs", "gfx1033");
    assert!(
        deck.starts_with("Steam Deck gfx1033 | ~ compatible code of gfx1030 | "),
        "{deck}"
    );
    let debian = section("debian-sid");
    assert_eq!(
        debian[0][0].join(" | "),
        "GPU | MIOpen libmiopen1 | rocBLAS librocblas4"
    );
    assert!(row("debian-sid", "gfx1031").ends_with("| ! override 10.3.0"));
    assert!(index.contains("Not read from it: PyTorch, llama.cpp, Ollama, whisper.cpp, Blender."));

    // The page of a GPU begins with what to install and to set.
    let row = |gpu: &str, distro: &str, name: &str| {
        let path = dir.path().join(format!("gpu/{gpu}.html"));
        let page = fs::read_to_string(path).unwrap();
        let first = page.find("<h2").unwrap();
        assert!(
            page[first..].starts_with("<h2 id=\"gentoo-applications\">"),
            "{gpu}"
        );
        let at = format!("<h2 id=\"{distro}-applications\">");
        let part = between(&page, &at, "</table>").next().unwrap();
        let rows = cells(part);
        rows.iter().find(|row| row[0] == name).unwrap()[1..].join(" | ")
    };
    assert_eq!(
        row("gfx1030", "gentoo", "PyTorch"),
        "= native | sci-ml/caffe2 | in package.use: */* AMDGPU_TARGETS: -* gfx1030 in package.use: sci-ml/caffe2 rocm \
         the flags of its dependencies: rocpkg use caffe2 --targets gfx1030 --flag rocm | \
         no code for the GPU in hipblaslt, hipsparselt, which it links: parts that call them fail or do without"
    );
    assert_eq!(
        row("gfx1030", "arch", "PyTorch"),
        "? unknown, probably native | python-pytorch-rocm or python-pytorch-opt-rocm | \
         nothing, if it has code for the GPU | what rocm-supported-gfx prints is not known; a guess: \
         the recipe of composable-kernel 7.2.0 lists it; no code for the GPU in aotriton, hipblaslt, \
         which it links: parts that call them fail or do without"
    );
    assert_eq!(
        row("gfx1201", "arch", "llama.cpp"),
        "= native | llama-cpp and ggml-hip | nothing | its code is that of ggml"
    );
    assert_eq!(
        row("gfx1201", "nixpkgs", "whisper.cpp"),
        "= native | whisper-cpp | whisper-cpp.override { rocmSupport = true; } | "
    );
    assert_eq!(
        row("gfx1201", "solus", "Ollama"),
        "/ not packaged |  |  | getsolus/packages has no packages/o/ollama"
    );
    let set = row("gfx1035", "gentoo", "MIOpen");
    let expected = "! runs with HSA_OVERRIDE_GFX_VERSION=10.3.0 | sci-libs/miopen | in package.use: \
                    */* AMDGPU_TARGETS: -* gfx1030 export HSA_OVERRIDE_GFX_VERSION=10.3.0 (";
    assert!(set.starts_with(expected), "{set}");
    let json: Value =
        serde_json::from_str(&out(&["gpu", "RX 6800", "--json", "--distro", "arch"])).unwrap();
    let first = &json["gpus"][0]["on"][0]["distributions"][0]["applications"][0];
    assert_eq!(
        [&first["title"], &first["way"], &first["install"][0]],
        [
            "PyTorch",
            "unknown",
            "`python-pytorch-rocm` or `python-pytorch-opt-rocm`"
        ]
    );
}

#[test]
fn the_names_in_lists_of_gpus_are_found_and_mean_these_gpus() {
    let stack = rocpkg::Stack::shipped().unwrap();
    let registry = stack.registry().unwrap();
    let products = stack.products().unwrap().unwrap();
    let mut count = 0;
    for (gpu, names) in products.known_as() {
        for name in names {
            let found = stack.gpu(name).unwrap().targets();
            assert_eq!(registry.show(&found), registry.name(gpu), "{name}");
            count += 1;
        }
    }
    assert!(count > 60, "{count} names");
}

#[test]
fn the_index_and_the_readme_state_the_release_of_each_distribution() {
    let dir = tempfile::tempdir().unwrap();
    out(&["report", "--out", dir.path().to_str().unwrap()]);
    let index = fs::read_to_string(dir.path().join("index.html")).unwrap();
    let table = between(&index, "aria-labelledby=\"releases\"", "</table>")
        .next()
        .unwrap();
    let rows: Vec<Vec<&str>> = between(table, "<tr><th scope=\"row\">", "</tr>")
        .map(|row| {
            between(row, ".html\">", "</a>")
                .chain(
                    between(row, "<td data-is=\"", "</td>")
                        .map(|cell| cell.split_once("\">").unwrap().1),
                )
                .collect()
        })
        .collect();
    let row = |name: &str| {
        let found = rows.iter().find(|row| row[0] == name);
        found.unwrap_or_else(|| panic!("{name}: {rows:?}"))
    };
    // Debian's package index is dated.
    assert!(
        row("debian-sid")[2].starts_with("Debian&apos;s package index of 20"),
        "{rows:?}"
    );
    let ours = ["gentoo", "arch", "nixpkgs", "solus"].map(row);
    let days: Vec<&str> = ours.iter().map(|row| row[2]).collect();
    let expected = [
        "date not known",
        "2026-08-31; 10.1 on 2026-11-16",
        "2026-09-14",
        "date not known; 7.2.0 on 2026-07-18",
    ];
    assert_eq!(days, expected);
    let gpu = fs::read_to_string(dir.path().join("gpu/gfx1201.html")).unwrap();
    let note = "arch was seen at 10.1 on 2026-11-16. This page describes 7.2.4.";
    assert!(gpu.contains(note), "{note}");
    let versions: Vec<&str> = ours.iter().map(|row| row[1]).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    for (what, cells) in [("release", versions), ("seen on", days)] {
        let line = format!("| {what} | {} |", cells.join(" | "));
        assert!(readme.contains(&line), "README.md lacks `{line}`");
    }
}

#[test]
fn the_index_shows_when_distributions_got_each_release() {
    let dir = tempfile::tempdir().unwrap();
    out(&["report", "--out", dir.path().to_str().unwrap()]);
    let read = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
    let index = read("index.html");
    let table = between(&index, "aria-labelledby=\"timeline\"", "</table>")
        .next()
        .unwrap();
    let json: Value = serde_json::from_str(&read("index.json")).unwrap();
    let rows = json["timeline"]["rows"].as_array().unwrap();
    let text = |release: &str, distribution: &str| {
        let row = rows.iter().find(|row| row["release"] == release).unwrap();
        let mut cells = row["cells"].as_array().unwrap().iter();
        cells.find(|c| c["on"] == distribution).unwrap()["text"].clone()
    };
    assert_eq!(text("10.1.0", "arch"), "2026-11-15, 41 days");
    assert_eq!(text("7.2.4", "arch"), "by 2026-06-03, at most 6 days");
    assert_eq!(text("7.2.2", "nixpkgs"), "from 2026-04-15, at least 1 day");
    assert!(text("10.0.0", "arch").is_null());
    // In the order in which upstream published them.
    let place = |release: &str| rows.iter().position(|row| row["release"] == release);
    assert!(place("10.1.0") < place("7.14.1") && place("7.14.1") < place("10.0.0"));
    assert_eq!(place("6.4.4"), None);
    for cell in rows.iter().flat_map(|row| row["cells"].as_array().unwrap()) {
        let Some(text) = cell["text"].as_str() else {
            continue;
        };
        let source = cell["source"].as_str().unwrap().replace('\'', "&apos;");
        let on = cell["on"].as_str().unwrap();
        assert!(
            table.contains(&format!("<td data-is=\"{on}\">{text}</td>")),
            "{text}"
        );
        assert!(index.contains(&format!("{on}: {source}</li>")), "{source}");
    }
}

/// Asserts that each page loads nothing, that its references and links lead to existing pages, and
/// that its JSON can be read.
fn check_pages(site: &Path, pages: &BTreeMap<String, String>) {
    for (path, text) in pages {
        assert!(
            !text.contains("@import") && !text.contains(" src=") && !text.contains("fetch("),
            "{path}"
        );
        assert_eq!(
            text.matches("<script").count(),
            usize::from(path == "index.html"),
            "{path}"
        );
        let told = text.split("<script").next().unwrap();
        let recipes: Vec<&str> = between(told, "<pre", "</pre>").collect();
        assert!(
            told.matches('`').count() == recipes.concat().matches('`').count(),
            "{path}: a backtick"
        );
        let words = path.contains('/').then(|| {
            between(text, "<dl class=\"words\">", "</dl>")
                .next()
                .unwrap()
        });
        for way in between(text, "<td class=\"", "\"").filter(|way| *way != "names") {
            assert!(
                words.is_none_or(|words| words.contains(&format!("<dt class=\"{way}\">"))),
                "{path}: {way}"
            );
        }
        let folder = Path::new(path).parent().unwrap();
        for link in between(text, " href=\"", "\"")
            .filter(|l| !l.starts_with("https://") && !l.starts_with("data:"))
        {
            let (file, id) = link.split_once('#').unwrap_or((link, ""));
            let there = if file.is_empty() {
                site.join(path)
            } else {
                site.join(folder).join(file)
            };
            assert!(there.is_file(), "{path}: {link}");
            let id = format!("id=\"{id}\"");
            assert!(
                !link.contains('#') || fs::read_to_string(there).unwrap().contains(&id),
                "{path}: {link}"
            );
        }
        let json = fs::read_to_string(site.join(path.replace(".html", ".json"))).unwrap();
        serde_json::from_str::<Value>(&json).unwrap();
    }
    assert!(pages["package/rocblas.html"].contains("<code># Copyright"));
    let row = between(&pages["index.html"], "gpu/gfx1032.html\"", "</tr>")
        .next()
        .unwrap();
    assert!(
        ["Radeon RX 6650 XT", "Dimgrey Cavefish", "navi23"]
            .iter()
            .all(|name| row.contains(name)),
        "{row}"
    );
    for page in [
        "debian-sid.html",
        "gpu/gfx1032.html",
        "package/rocblas.html",
    ] {
        assert!(
            pages[page].contains("This is read from Debian&apos;s package index"),
            "{page}"
        );
    }
}
