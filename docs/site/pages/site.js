// What the theme leaves out for keyboards and screen readers.
"use strict";
const complete = () => {
  for (const code of document.querySelectorAll(".md-typeset pre > code, .md-typeset__table, .md-typeset__scrollwrap")) {
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0;
  }
  document.querySelectorAll(".md-code__nav").forEach((nav, index) => nav.setAttribute("aria-label", `Code block ${index + 1}`));
  document.querySelectorAll(".md-nav .md-nav[aria-labelledby]").forEach((nav, index) => {
    nav.removeAttribute("aria-labelledby");
    nav.setAttribute("aria-label", `Pages, part ${index + 1}`);
  });
  document.querySelectorAll(".md-typeset th:empty").forEach(cell => cell.replaceWith(document.createElement("td")));
  const version = document.querySelector(".md-version__current");
  const label = version && `${version.textContent.trim()}, select version`;
  if (version && version.getAttribute("aria-label") !== label) version.setAttribute("aria-label", label);
};
addEventListener("load", complete);
new MutationObserver(complete).observe(document.documentElement, {childList: true, subtree: true});
