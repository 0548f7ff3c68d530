/** The stylesheet of all pages but the reference: dark or light as the reader's system is. */
export const stylesheet = `
:root { color-scheme: light dark; --back: #fff; --text: #1c1f23; --soft: #5c6570; --line: #dde1e6; --box: #f5f6f8; --link: #0b57c4 }
@media (prefers-color-scheme: dark) {
  :root { --back: #15181c; --text: #e6e8eb; --soft: #9aa4b0; --line: #2d333b; --box: #1d2127; --link: #7fb2ff }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 14rem minmax(0, 1fr) }
nav { border-right: 1px solid var(--line); padding: 1.2rem; position: sticky; top: 0; height: 100vh; overflow: auto; font-size: .92rem }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0 }
nav li { margin: .3rem 0 }
nav [aria-current] { font-weight: 700 }
main { padding: 1.2rem 2rem 6rem; max-width: 60rem }
a { color: var(--link); text-decoration: none }
a:hover, a:focus-visible { text-decoration: underline }
h1 { font-size: 1.7rem; margin: .4rem 0 1rem }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem }
h2 a { color: inherit }
section { border-top: 1px solid var(--line); scroll-margin-top: 1rem; padding-bottom: 1rem }
section:target h2 { background: var(--box) }
code { font: .88em/1.5 ui-monospace, monospace }
pre { font: .92em/1.55 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 1.2rem 0 }
dl { display: grid; grid-template-columns: 7rem 1fr; gap: .3rem 1rem }
dt { color: var(--soft) }
dd, dd p { margin: 0 }
@media (max-width: 50rem) {
  body { display: block }
  nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line) }
  main { padding: 1rem }
}
@media print { nav { display: none } body { display: block } }
`;
