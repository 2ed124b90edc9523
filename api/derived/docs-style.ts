/** The looks of the documentation page. */

/** Served as /docs/style.css, so that the page needs no inline style. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --dim: light-dark(#555, #aaa); --mark: light-dark(#0b5fff, #7fb0ff); --soft: light-dark(#f5f6f8, #1d2026); }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 20rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); background: var(--soft); }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--dim); margin: 1.25rem 0 .25rem; }
nav a { display: block; padding: .15rem .25rem; color: inherit; text-decoration: none; font-size: .875rem; }
nav a:hover { color: var(--mark); }
nav .brand { font-weight: 700; font-size: 1.25rem; }
main { padding: 2rem 3rem; max-width: 60rem; }
article { border-top: 1px solid var(--line); padding: 1rem 0; scroll-margin-top: 1rem; }
article:target h3 { color: var(--mark); }
article > p > span { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; margin-right: .3rem; font-size: .8rem; }
h3 { margin: 0 0 .25rem; }
a { color: var(--mark); }
code, pre { font: .85em/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: .75rem 1rem; border-radius: .5rem; overflow: auto; }
details { margin: .35rem 0; }
summary { cursor: pointer; color: var(--dim); }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
td { border-bottom: 1px solid var(--line); padding: .3rem .5rem .3rem 0; vertical-align: top; }
b.GET, b.POST, b.PUT, b.PATCH, b.DELETE, b.status { font: 600 .7rem/1.5 ui-monospace, monospace; padding: .05rem .35rem; margin-right: .4rem; border-radius: .25rem; color: #fff; background: #2a7f4f; }
b.POST { background: #0b5fff; } b.PATCH, b.PUT { background: #9a5b00; } b.DELETE, b.status { background: #b3261e; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } main { padding: 1rem; } }
`;
