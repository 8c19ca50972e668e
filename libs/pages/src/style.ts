/** The style of every page. It has no animation, so `prefers-reduced-motion` needs no rule. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #eef1f5; --card: #fff; --ink: #18202c; --soft: #4b5566; --line: #8a94a6; --faint: #d5dae2;
  --accent: #0a5aa8; --accent-strong: #084884; --on-accent: #fff; --fault: #a3201a; --fault-paper: #fdecea;
  font: 100%/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #10151c; --card: #1a212b; --ink: #e9edf3; --soft: #b3bdcb; --line: #77839a; --faint: #333e4d;
    --accent: #8cc2ff; --accent-strong: #b5d8ff; --on-accent: #0b1a2b; --fault: #ffb4ab; --fault-paper: #43201d;
  }
}
*, ::before, ::after { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink);
  display: flex; flex-direction: column; align-items: center; overflow-wrap: anywhere;
}
header {
  width: 100%; max-width: 38rem; padding: 1.25rem 1.25rem 0.75rem; font-weight: 700; letter-spacing: 0.01em;
  display: flex; align-items: center; gap: 0.625rem;
}
header img { height: 2rem; max-width: 9rem; object-fit: contain; }
main {
  width: 100%; max-width: 38rem; padding: 1.5rem 1.25rem 2rem; background: var(--card); border-top: 4px solid var(--brand, var(--accent));
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.75rem; }
h2 { font-size: 1.125rem; line-height: 1.35; margin: 1.75rem 0 0.5rem; }
p, ul, dl { margin: 0 0 1rem; }
ul { padding-left: 1.25rem; }
li + li { margin-top: 0.25rem; }
a { color: var(--accent); }
.soft { color: var(--soft); font-size: 0.9375rem; }
p.soft { margin-bottom: 0.25rem; }
.card + p.soft { margin-top: 1rem; }
ul.sums { list-style: none; padding: 0; }
fieldset { border: 0; margin: 1.75rem 0 1.25rem; padding: 0; min-width: 0; }
legend { padding: 0; font-size: 1.125rem; font-weight: 700; line-height: 1.35; margin-bottom: 0.5rem; }
.choice {
  display: flex; gap: 0.875rem; align-items: flex-start; padding: 0.75rem 0.875rem; margin-top: 0.5rem;
  border: 1px solid var(--line); border-radius: 0.5rem; cursor: pointer;
}
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0.125rem 0 0; accent-color: var(--accent); }
.choice span { display: block; min-width: 0; }
.choice .soft { font-variant-numeric: tabular-nums; }
.fault {
  margin: 0 0 1rem; padding: 0.75rem 0.875rem; border-left: 4px solid var(--fault);
  background: var(--fault-paper); color: var(--fault);
}
.buttons { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
.buttons form { flex: 1 1 12rem; display: flex; }
button, .button {
  flex: 1 1 12rem; min-height: 3rem; padding: 0.625rem 1.25rem; border: 2px solid var(--accent); border-radius: 0.5rem;
  background: transparent; color: var(--accent); font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  cursor: pointer;
}
.buttons .button { display: flex; align-items: center; justify-content: center; }
button.chief, .button.chief { background: var(--accent); color: var(--on-accent); }
button:hover, .button:hover { border-color: var(--accent-strong); color: var(--accent-strong); }
button.chief:hover, .button.chief:hover { background: var(--accent-strong); color: var(--on-accent); }
button.plain {
  flex: none; min-height: 2.75rem; padding: 0.25rem 0; border: 0; font-weight: 400; text-align: left; text-decoration: underline;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px; }
.choice :focus-visible { outline: none; }
.card { border: 1px solid var(--faint); border-radius: 0.5rem; padding: 1rem; margin-top: 0.75rem; }
.card h2 { font-size: 1.25rem; margin: 0 0 0.5rem; }
.card h3 { font-size: 1rem; margin: 0 0 0.5rem; }
.card ul { margin: 0; }
.card dl { display: grid; grid-template-columns: auto 1fr; gap: 0.125rem 1rem; margin: 0 0 0.5rem; }
dt { color: var(--soft); }
dd { margin: 0; }
.number { display: inline-block; white-space: nowrap; }
.card .button { display: inline-block; margin-top: 1rem; min-height: 2.75rem; padding: 0.5rem 1rem; }
@media (min-width: 42rem) {
  body { padding-bottom: 3rem; }
  header { padding: 2.5rem 0.25rem 1rem; }
  main { padding: 2rem 2.5rem 2.5rem; border-radius: 0.5rem; }
}
@media (forced-colors: active) {
  .choice :focus-visible { outline: 2px solid; }
}
`;

/** Follows `STYLE` on pages for developers. */
export const DEVELOPER_STYLE = `
.developers { align-items: stretch; }
.developers header {
  max-width: 80rem; margin: 0 auto; padding: 1rem 1.25rem; flex-wrap: wrap; justify-content: space-between;
}
.bank { display: flex; align-items: center; gap: 0.625rem; color: inherit; text-decoration: none; }
header nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; margin: 0; padding: 0; font-weight: 500; }
header nav li + li { margin: 0; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { font-weight: 700; text-decoration: underline; text-underline-offset: 0.35em; text-decoration-thickness: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; padding: 0.5rem 1.25rem; }
.columns { width: 100%; max-width: 80rem; margin: 0 auto; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
.developers main { max-width: none; min-width: 0; }
.developers footer { width: 100%; max-width: 80rem; margin: 0 auto; padding: 1.5rem 1.25rem 2rem; color: var(--soft); }
footer h2 { font-size: 1rem; margin: 0 0 0.5rem; }
footer ul { list-style: none; padding: 0; margin: 0; display: grid; gap: 0.25rem 2rem; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); }
footer li + li { margin: 0; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.875em; }
pre {
  margin: 0.5rem 0 1rem; padding: 0.875rem 1rem; border: 1px solid var(--faint); border-radius: 0.5rem;
  background: var(--paper); overflow-x: auto; overflow-wrap: normal; line-height: 1.45; font-size: 0.8125rem;
}
pre code { font-size: inherit; }
dl.explained { display: grid; gap: 0.25rem; }
dl.explained dd { margin: 0 0 0.75rem; }
.codes { list-style: none; padding: 0; }
.codes li { padding: 0.75rem 0; border-top: 1px solid var(--faint); }
.codes li + li { margin: 0; }
.doors { list-style: none; padding: 0; display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); }
.doors li { margin: 0; border: 1px solid var(--faint); border-radius: 0.5rem; padding: 1rem; }
.doors a { font-weight: 600; }
.doors p { margin: 0.25rem 0 0; color: var(--soft); }
@media (min-width: 42rem) {
  .developers header { padding: 1.25rem 1.25rem; }
  .columns { padding: 0 1.25rem; }
}
main input, main select, main textarea { max-width: 100%; font: inherit; }
.wide { overflow-x: auto; margin: 0.5rem 0 1rem; }
table { border-collapse: collapse; font-size: 0.9375rem; }
th, td { text-align: left; vertical-align: top; padding: 0.375rem 0.75rem 0.375rem 0; border-bottom: 1px solid var(--faint); overflow-wrap: normal; }
.turn { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 2rem; margin: 2rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--faint); }
.turn a[rel='next'] { margin-left: auto; }
.to-contents { margin-bottom: 1rem; }
aside { min-width: 0; padding: 1.5rem 1.25rem; }
aside form { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.375rem 0.5rem; margin-bottom: 1rem; }
aside label { grid-column: 1 / -1; font-weight: 600; }
aside input {
  min-width: 0; min-height: 2.5rem; padding: 0.25rem 0.625rem; border: 1px solid var(--line); border-radius: 0.375rem;
  background: var(--card); color: inherit; font: inherit;
}
aside button, button.copy {
  flex: none; min-height: 2.5rem; padding: 0.25rem 0.875rem; border-width: 1px; border-radius: 0.375rem;
}
aside h2 { font-size: 0.9375rem; margin: 1.25rem 0 0.375rem; }
aside ul, .entries { list-style: none; padding: 0; margin: 0; }
aside li { padding: 0.25rem 0; line-height: 1.35; }
aside li code, .entries code { display: block; color: var(--soft); }
aside li code { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.entries li { padding: 0.5rem 0; border-top: 1px solid var(--faint); }
.entries li + li { margin: 0; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.375rem; }
:target { scroll-margin-top: 1rem; background: var(--paper); outline: 2px solid var(--accent); outline-offset: 4px; }
.fields dt { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--faint); color: var(--ink); }
.fields dt code { font-weight: 700; }
.fields dd span { display: block; }
.required { color: var(--fault); font-size: 0.875rem; }
.sample { border: 1px solid var(--faint); border-radius: 0.5rem; margin-top: 0.5rem; padding: 0 1rem; }
.sample summary { cursor: pointer; padding: 0.75rem 0; font-weight: 600; }
button.copy { display: block; margin: 0 0 0 auto; min-height: 2rem; font-size: 0.875rem; }
button.copy + pre { margin-top: 0.375rem; }
@media (min-width: 64rem) {
  .columns:has(aside) { grid-template-columns: 19rem minmax(0, 1fr); }
  .columns:has(aside) main { grid-area: 1 / 2; }
  aside { grid-area: 1 / 1; position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 0.25rem 1rem 1.5rem 0.25rem; }
  .to-contents { display: none; }
}
`;
