// Draws every <figure data-chart> from the figures that stand in it as JSON. Colours come from the page's own styles.
"use strict";

{
  const colour = (name) => {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };

  // Plotly reads a little markup in names and hover texts, so what is data is escaped.
  const text = (value) => document.createElement("p").appendChild(document.createTextNode(value)).parentNode.innerHTML;

  const options = { displayModeBar: false, responsive: true, showTips: false, scrollZoom: false, doubleClick: false };

  function frame(more) {
    const base = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("soft") },
      margin: { l: 28, r: 10, t: 8, b: 34 },
      showlegend: false,
      dragmode: false,
      hoverlabel: { bgcolor: colour("sheet"), bordercolor: colour("edge"), font: { color: colour("ink"), size: 12 } },
    };
    return { ...base, ...more };
  }

  const axis = (more) => ({ gridcolor: colour("line"), zeroline: false, linecolor: colour("line"), fixedrange: true, ...more });

  function trajectory(figure) {
    const looks = {
      distress: { color: colour("distress"), symbol: "circle", size: 7 },
      trust: { color: colour("trust"), symbol: "square", size: 6 },
      told: { color: colour("told"), symbol: "diamond", size: 12 },
    };
    const several = figure.traces.filter((trace) => trace.role === "distress").length > 1;
    const traces = figure.traces.map((trace) => {
      const look = looks[trace.role];
      return {
        type: "scatter", mode: trace.mode, x: trace.x, y: trace.y, name: text(trace.name),
        line: { color: look.color, width: 2, dash: trace.dash },
        marker: trace.role === "told"
          ? { symbol: "diamond-open", size: 13, color: look.color, line: { width: 2, color: look.color } }
          : { symbol: look.symbol, size: look.size, color: look.color },
        hovertemplate: trace.role === "told" ? "something held back was told<extra></extra>" : "%{y:.1f}",
      };
    });
    const shapes = (figure.events || []).map((event) => ({
      type: "line", x0: event.turn, x1: event.turn, y0: 0, y1: 10, line: { color: colour("told"), width: 1, dash: "dot" },
    }));
    const layout = frame({
      hovermode: "x unified", shapes, showlegend: true,
      margin: { l: 24, r: 8, t: 8, b: 44 },
      legend: { orientation: "h", y: -0.2, x: -0.08, xanchor: "left", yanchor: "top", itemwidth: 30, font: { size: 11 }, itemclick: false, itemdoubleclick: false },
      xaxis: axis({ range: figure.x.range, dtick: figure.x.dtick, showgrid: false, hoverformat: "d", tickprefix: "", title: undefined }),
      yaxis: axis({ range: figure.y.range, dtick: figure.y.dtick }),
    });
    if (several) layout.legend.x = 0;
    return { traces, layout };
  }

  function intervals(figure) {
    const traces = [{
      type: "scatter", mode: "markers", x: figure.values, y: figure.names.map(text),
      error_x: {
        type: "data", symmetric: false, color: colour("accent"), thickness: 2, width: 5,
        array: figure.values.map((value, place) => figure.high[place] - value),
        arrayminus: figure.values.map((value, place) => value - figure.low[place]),
      },
      marker: { color: colour("accent"), size: 11 },
      customdata: figure.values.map((_, place) => (figure.known[place] ? `[${figure.low[place].toFixed(1)}, ${figure.high[place].toFixed(1)}]` : "")),
      hovertemplate: "%{y}: %{x:.1f} %{customdata}<extra></extra>",
    }];
    const layout = frame({
      margin: { l: 10, r: 20, t: 6, b: 40 },
      xaxis: axis({ range: [0, 100], dtick: 20, title: { text: "overall, 0 to 100", font: { size: 12 } } }),
      yaxis: axis({ type: "category", automargin: true, tickfont: { color: colour("ink"), size: 13 }, ticks: "", showgrid: true }),
    });
    return { traces, layout, tall: Math.min(60 + 34 * figure.names.length, 900) };
  }

  const kinds = { trajectory, intervals };

  function draw() {
    for (const holder of document.querySelectorAll("figure[data-chart]")) {
      const place = holder.querySelector(".plot");
      const figure = JSON.parse(holder.querySelector("script").textContent);
      const { traces, layout, tall } = kinds[figure.kind](figure);
      if (tall) place.style.setProperty("--tall", `${tall}px`);
      Plotly.react(place, traces, layout, options);
      if (figure.kind !== "trajectory" || place.dataset.wired) continue;
      place.dataset.wired = "yes";
      const show = (event) => {
        const turn = event.points?.[0]?.x;
        if (turn !== undefined) document.dispatchEvent(new CustomEvent("emoharbor:turn", { detail: { turn, from: "chart" } }));
      };
      place.on("plotly_hover", show);
      place.on("plotly_click", show);
    }
    document.dispatchEvent(new CustomEvent("emoharbor:drawn"));
  }

  // A line that stands at the turn that is shown.
  function point(turn) {
    const place = document.querySelector("#trajectory .plot");
    if (!place?.layout) return;
    const others = (place.layout.shapes || []).filter((shape) => shape.name !== "now");
    const now = { name: "now", type: "line", x0: turn, x1: turn, y0: 0, y1: 1, yref: "paper", line: { color: colour("ink"), width: 1 }, layer: "below" };
    Plotly.relayout(place, { shapes: [...others, now] });
  }

  window.emoharbor.point = point;
  document.addEventListener("emoharbor:theme", draw);
  document.addEventListener("emoharbor:fresh", draw);
  draw();
}
