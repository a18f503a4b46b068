// Measures a page as a reader meets it and tells the page that frames it. Of tests: browser_test.cc
// puts it into a copy of the page, whose policy lets it run beside what the page may run anyway.
(() => {
  const refused = [];
  addEventListener("securitypolicyviolation", (event) =>
    refused.push(event.violatedDirective + " " + event.blockedURI));

  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {  // of any way to write it: red, green and blue to 255, alpha to 1
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [r2, g2, b2]) =>
    [r * a + r2 * (1 - a), g * a + g2 * (1 - a), b * a + b2 * (1 - a), 1];
  // WCAG 2.2, relative luminance and contrast ratio.
  const luminance = (colour) => {
    const [r, g, b] = colour.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      layers.push(channels(getComputedStyle(e).backgroundColor));
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };

  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (walker.currentNode.data.trim() && !element.closest("script,style") && element.checkVisibility()) {
        const style = getComputedStyle(element);
        const svg = element.closest("svg");
        const behind = ground(element);
        const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
        found.push({
          words: walker.currentNode.data.trim().slice(0, 60),
          contrast: contrast(over(channels(svg ? style.fill : style.color), behind), behind),
          pixels: parseFloat(style.fontSize) * scale,
        });
      }
    }
    return found;
  };
  const least = (found, key) => found.reduce((a, b) => (b[key] < a[key] ? b : a));

  addEventListener("load", () => setTimeout(() => {
    document.querySelectorAll("details").forEach((e) => (e.open = true));
    const found = texts();
    const links = [...document.querySelectorAll("a[href]")].map((e) => e.getAttribute("href"));
    const search = document.getElementById("search");
    if (search) {
      search.value = decodeURIComponent(location.hash.slice(1));
      search.dispatchEvent(new Event("input"));
    }
    parent.postMessage({
      width: innerWidth,
      overflow: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth,
      hidden_columns: Math.max(0, ...[...document.querySelectorAll("table")].map((e) => e.scrollWidth - e.clientWidth)),
      is_dark: matchMedia("(prefers-color-scheme: dark)").matches,
      texts: found.length,
      faintest: least(found, "contrast"),
      smallest: least(found, "pixels"),
      images: document.images.length,
      broken_images: [...document.images].filter((e) => !e.complete || e.naturalWidth === 0).length,
      image_width: Math.min(9999, ...[...document.images].map((e) => e.width)),
      links: links.filter((link) => !/^(#|https?:)/.test(link)),
      dead_anchors: links.filter((link) => link[0] === "#" && !document.getElementById(link.slice(1))),
      double_ids: [...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, i, all) => all.indexOf(id) < i),
      scripts: document.scripts.length,
      ran: window.ran ?? null,
      refused,
      is_search_there: search !== null && search.checkVisibility(),
      articles: [...document.querySelectorAll("article")].filter((e) => e.checkVisibility()).map((e) => e.id),
      found: document.getElementById("found")?.textContent ?? "",
    }, "*");
  }, 50));
})();
