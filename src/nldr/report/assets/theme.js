// The choice of theme is applied before the first paint.
try { document.documentElement.dataset.theme = localStorage.getItem("nldr-theme") || "auto"; } catch { /* no storage */ }
