/**
 * The runbook (docs/operate/runbook.md) as a page, so that it is at hand where the service is. It is drawn from the little Markdown that it
 * is written in: headings, paragraphs, lists, code, bold words, links.
 */
import { readFile } from 'node:fs/promises';
import { layout } from './error-pages.ts';
import { type Html, html } from './html.ts';

const file = new URL('../../docs/operate/runbook.md', import.meta.url);

export async function readRunbook(): Promise<string> {
  return layout('/docs/runbook', 'Runbook', toHtml(await readFile(file, 'utf8')));
}

/** The page has its title already. Each alert is a section, by its name in lower case. */
export function toHtml(markdown: string): Html {
  const [intro = '', ...sections] = markdown.replace(/^# .*\n/, '').split(/^## /m);
  return html`${toBlocks(intro)}
  ${sections.map(text => {
    const end = text.indexOf('\n');
    const title = text.slice(0, end);
    const id = title.toLowerCase().replaceAll(' ', '-');
    return html`<section id="${id}">
      <h2><a href="#${id}">${title}</a></h2>
      ${toBlocks(text.slice(end))}
    </section>`;
  })}`;
}

function toBlocks(text: string): Html[] {
  // What is between fences has empty lines of its own.
  return text.split(/^(```\w*\n[^]*?\n```)$/m).flatMap(part => {
    const blocks = part.startsWith('```') ? [part] : part.split('\n\n');
    return blocks
      .map(block => block.trim())
      .filter(block => block !== '')
      .map(toBlock);
  });
}

function toBlock(block: string): Html {
  const code = /^```\w*\n([^]*)\n```$/.exec(block)?.[1];
  if (code !== undefined) return html`<pre>${code}</pre>`;
  if (!block.startsWith('- ')) return html`<p>${toInline(block)}</p>`;
  const items = block.slice(2).split(/\n- /);
  return html`<ul>
    ${items.map(item => html`<li>${toInline(item)}</li>`)}
  </ul>`;
}

/** Links within the page stay; the documents that others lead to are not served, and are named. */
function toInline(text: string): Html[] {
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[((?:`[^`]*`|[^\]])+)\]\(([^)]+)\)/g;
  const parts: Html[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, code, bold, label, target] = match;
    parts.push(html`${text.slice(end, match.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (bold !== undefined) parts.push(html`<b>${bold}</b>`);
    else if (target?.startsWith('#') === true)
      parts.push(html`<a href="${target}">${toInline(label ?? '')}</a>`);
    else parts.push(html`${toInline(label ?? '')}`);
    end = match.index + whole.length;
  }
  parts.push(html`${text.slice(end)}`);
  return parts;
}
