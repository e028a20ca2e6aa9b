/** The style of a page: readable in light and dark, on narrow screens, and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1a1c20; --dim: #565c69; --line: #d9dde4;
  --soft: #f4f5f7; --link: #1f4fbf; --bad: #a8201a; --warn: #5c4300; --warn-back: #fff4d6;
  --share0: #3d6fe0; --share1: #12927c; --share2: #878e9b; --share3: #d9742b; }
@media (prefers-color-scheme: dark) {
  :root { --back: #15171b; --text: #e4e6eb; --dim: #a3a9b6; --line: #343943; --soft: #1e2127;
    --link: #9bb8ff; --bad: #ff978f; --warn: #f2d78e; --warn-back: #322a13;
    --share0: #5f8bf0; --share1: #2fb39b; --share2: #8d94a1; --share3: #e58a48; }
}
* { box-sizing: border-box; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; background: var(--back);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 .25rem; font-size: 1.45rem; line-height: 1.3; unicode-bidi: isolate; }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
h3, h4, h5, h6 { margin: 0; font-size: 1rem; }
p, dl, ul, ol { margin: 0; }
a { color: var(--link); }
:target { outline: 2px solid var(--link); outline-offset: .5rem; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
header, footer { display: grid; gap: .9rem; }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.dim, footer, dt, .label { color: var(--dim); font-size: .85rem; }
.bad, .bad .label { color: var(--bad); }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 1.8rem; font-size: .9rem; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; unicode-bidi: isolate; white-space: pre-wrap; }
.shares { display: grid; gap: .35rem; }
.bar { display: flex; gap: 2px; height: .65rem; }
.bar span { min-width: 3px; border-radius: 2px; background: var(--share); }
.shares ul { display: flex; flex-wrap: wrap; gap: .1rem 1rem; padding: 0; font-size: .85rem; list-style: none; }
.shares li::before { display: inline-block; width: .6rem; height: .6rem; margin-inline-end: .4rem;
  border-radius: 2px; background: var(--share); content: ''; }
.share0 { --share: var(--share0); } .share1 { --share: var(--share1); }
.share2 { --share: var(--share2); } .share3 { --share: var(--share3); }
ol { padding: 0; list-style: none; }
nav ol ol { padding-inline-start: 1.2rem; }
nav a { display: inline-block; min-height: 1.6rem; padding: .1rem 0; unicode-bidi: isolate; }
.step { display: grid; gap: .6rem; padding: 1rem 0; border-top: 1px solid var(--line); }
.step > *, .part > * { min-width: 0; }
.agent { margin: .25rem 0 1rem .2rem; padding-inline-start: .8rem; border-inline-start: 3px solid var(--line); }
.part { display: grid; gap: .15rem; }
.warn { display: grid; gap: .3rem; padding: .6rem .8rem; border-radius: 4px; background: var(--warn-back);
  color: var(--warn); font-size: .9rem; }
.warn dt { color: inherit; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; unicode-bidi: plaintext; }
.code pre, details:not(.again) pre { padding: .5rem .7rem; border-radius: 4px; background: var(--soft);
  font: .82rem/1.5 ui-monospace, monospace; }
details.words pre { font: inherit; }
summary { min-height: 1.6rem; color: var(--dim); font-size: .85rem; cursor: pointer; }
details:not(.again) details { margin-inline-start: 1rem; }
img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .step { break-inside: auto; }
  h2, h3, h4, h5, h6, .label { break-after: avoid; }
  nav { display: none; }
}
`;
