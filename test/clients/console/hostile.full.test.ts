/** Hostile text in each place that the Console shows: nothing of it runs, turns what stands beside it around, or breaks the layout. */
import { LLMock } from '@copilotkit/aimock';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import { openConsole, receive, shareConsole, verifyOwner } from './console-page.ts';
import { createProduction } from './stage.ts';

const script = '<img src=x onerror="globalThis.taken=1"><script>globalThis.taken=1</script>';
const turned = '\u202Egnp.exe';
/** Marks that pile up far above and below the line. */
const zalgo = `Z${'\u0351\u036B\u0343\u0334\u0330'.repeat(24)}`;
const hostile = `${script}${turned} ${zalgo} ${'W'.repeat(16_000)}`;
/** As much of it as a place takes, in code points; one word that cannot be broken in any case. */
const cut = (length: number): string => {
  const rest = `${script}${turned}${zalgo}`.slice(0, Math.floor(length * 0.6));
  return rest + 'W'.repeat(length - rest.length);
};
const directions = /[\u202a-\u202e\u2066-\u2069]/;

const model = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
const call = (name: string, input: object) => ({
  toolCalls: [{ id: `call_${name}`, name, arguments: JSON.stringify(input) }],
});
model.on({ userMessage: /tool/, hasToolResult: false }, call('look_up', { what: hostile }));
model.on({ userMessage: /approve/, hasToolResult: false }, call('pay', { what: hostile }));
model.on({ userMessage: /human/ }, call('request_human', { reason: cut(400) }));
// Pieces of it come while the page is looked at.
model.on({ userMessage: /slowly/ }, { content: hostile.slice(0, 15_000) }, { latency: 4, chunkSize: 40 });
model.on({ userMessage: /./ }, { content: hostile.slice(0, 15_000) });
await model.start();
t.teardown(() => model.stop());
const tool = await Receiver.start();
t.teardown(() => tool.stop());
tool.behaviour = answer(200, { 'content-type': 'application/json' }, JSON.stringify({ [cut(200)]: hostile }));

const setting = await shareConsole(t);
const { skein, owner, projectId, environmentId, channelId } = setting;
await verifyOwner(setting);

/** Where one may write what one likes: the owner of the project, its agents, its customers. */
async function write(): Promise<Readonly<Record<'full' | 'suggestion' | 'approval' | 'handoff', string>>> {
  const { api } = owner;
  await api.projects.update(projectId, { name: cut(100) });
  await createProduction(setting, cut(60));
  await api.profile.update({ displayName: cut(60) });
  await api.cannedReplies.create({
    projectId,
    shortcut: `/${'w'.repeat(31)}`,
    title: cut(120),
    body: cut(4_000),
  });
  await skein.channels.update(channelId, { name: cut(100) });
  const provider = 'llm_provider_1';
  const secret = setting.models.register(`${model.url}/v1`);
  await api.byokCredentials.create({ projectId, provider, displayName: cut(60), secret });
  const inputSchema = { type: 'object', properties: { what: { type: 'string' } } };
  const tools = await Promise.all(
    ['look_up', 'pay'].map(name =>
      skein.tools.create({ name, url: tool.url(), requiresApproval: name === 'pay', inputSchema }),
    ),
  );
  const toolIds = tools.map(({ toolId }) => toolId);
  const loom = { name: 'Loom', systemPrompt: 'Answer.', provider, model: 'gpt-4o-mini', toolIds } as const;
  const { loomId } = await skein.looms.create(loom);
  const { agentId } = await skein.agents.create({ name: cut(100), mode: 'suggest', loomId });
  await skein.channels.update(channelId, { defaultAgentId: agentId });
  const [suggestion, approval, handoff] = await Promise.all(
    ['Use the tool', 'Please approve', 'A human'].map((text, index) =>
      receive(setting, `${index}${cut(200)}`, text, `${text} ${cut(200)}`),
    ),
  );
  const { threadId: full } = await skein.threads.create({ channelId, externalRef: 'full' });
  await skein.threads.update(full, {
    agentMode: 'paused',
    tags: ['w'.repeat(64), 'x'.repeat(64)],
    customFields: { [cut(60)]: cut(500), Short: script },
  });
  await receive(setting, 'full', hostile.slice(0, 16_000), `Full ${cut(250)}`);
  const blob = new Blob(['%PDF-1.4'], { type: 'application/pdf' });
  const attachmentId = await skein.attachments.upload(blob, {
    filename: `bill${turned}${'w'.repeat(180)}.pdf`,
  });
  await skein.messages.create(full, {
    direction: 'inbound',
    body: 'The bill',
    attachments: [{ kind: 'document', attachmentId }],
  });
  await api.notes.create(full, { projectId, body: hostile.slice(0, 4_000) });
  await api.threads.assign(full, { projectId, userId: owner.userId });
  const message = await api.messages.create(full, { projectId, body: 'Hello' });
  const error = { code: 'x'.repeat(100), message: cut(1_000) };
  await skein.channels.simulate(channelId, { event: 'failed', messageId: message.messageId, error });
  await eventually('what the agent does', async () => {
    const [one, two] = await Promise.all([
      skein.threads.get(suggestion ?? ''),
      skein.threads.get(handoff ?? ''),
    ]);
    return typeof one.pendingSuggestion === 'string' && two.agentMode === 'paused';
  });
  return { full, suggestion: suggestion ?? '', approval: approval ?? '', handoff: handoff ?? '' };
}

const threads = await write();
const browser = await startChromium(t);
const at = (threadId: string): string =>
  `${setting.baseUrl}/console/${projectId}/${environmentId}/all/${threadId}`;

/** What is wider than its place, or reaches out of the page. Code may be scrolled. */
const findTooWide = `(() => {
  const found = [];
  const { clientWidth: width } = document.documentElement;
  for (const element of document.querySelectorAll('body *')) {
    const { right, width: own, height } = element.getBoundingClientRect();
    if (own === 0 || height === 0 || element.closest('pre')) continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    const scrolls = ['auto', 'scroll'].includes(overflowX) && element.scrollWidth > element.clientWidth + 1;
    const reachesOut = right > width + 1 && element.matches('button, a, input, textarea, [role]') && textOverflow !== 'ellipsis';
    if (scrolls || reachesOut) found.push(element.outerHTML.slice(0, 160));
  }
  if (document.documentElement.scrollWidth > width) found.push('the page');
  return found;
})()`;

async function check(t: Test, page: Page): Promise<void> {
  t.strictSame(await page.evaluate(findTooWide), [], 'all stays in its place');
  t.equal(await page.evaluate('globalThis.taken'), undefined, 'nothing runs');
  t.notMatch(await page.title(), /taken|<|\u202e/, 'the title is clean');
}

for (const [name, viewport] of [
  ['on a desk', { width: 1_280, height: 900 }],
  ['on a phone', { width: 390, height: 780 }],
] as const) {
  t.test(`conversations, ${name}`, async t => {
    const page = await openConsole(t, browser, setting, owner, {
      viewport,
      path: `/console/${projectId}/${environmentId}/all`,
    });
    const log = page.getByRole('log', { name: 'Messages' });
    await page.getByRole('option').nth(3).waitFor();
    await check(t, page);

    await page.goto(at(threads.full));
    await log.getByText(/^Not delivered: /).waitFor();
    await log.getByText(/^bill/).waitFor();
    await check(t, page);
    const heading = page.getByRole('heading', { level: 2 }).or(page.getByRole('heading', { level: 1 }));
    t.notMatch((await heading.allTextContents()).join(), directions, 'names turn nothing');
    await page.getByRole('button', { name: 'Participant and details' }).click();
    const panel = page
      .getByRole('complementary', { name: 'Participant and details' })
      .or(page.getByRole('dialog'));
    await panel.getByText('Short', { exact: true }).first().waitFor();
    await check(t, page);

    await page.goto(at(threads.suggestion));
    const card = page.getByRole('region', { name: 'Suggestion' });
    await card.getByRole('button', { name: 'Details of the run' }).click();
    const run = page.getByRole('dialog', { name: 'Run of the agent' });
    await run.getByText('Tool look_up').waitFor();
    await check(t, page);
    await page.keyboard.press('Escape');
    await run.waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Approve' }).click({ trial: true });
    await check(t, page);

    await page.goto(at(threads.approval));
    const wanted = page.getByRole('region', { name: 'The agent wants to use a tool' });
    await wanted.getByRole('button', { name: 'Allow' }).click({ trial: true });
    await check(t, page);

    await page.goto(at(threads.handoff));
    await page.getByRole('button', { name: 'Resume the agent' }).click({ trial: true });
    await check(t, page);
  });
}

t.test('canned replies, projects, settings, menus and search', async t => {
  const page = await openConsole(t, browser, setting, owner, {
    path: `/console/settings/canned-replies/${projectId}`,
  });
  await page.getByRole('button', { name: /^Edit \/w+$/ }).waitFor();
  await check(t, page);
  await page.goto(`${setting.baseUrl}/console/settings`);
  await page.getByRole('heading', { name: 'Appearance and language' }).waitFor();
  await check(t, page);
  await page.goto(at(threads.full));
  await page.getByRole('combobox', { name: 'Project and environment' }).click();
  await page
    .getByRole('option', { name: /production|onerror/ })
    .first()
    .waitFor();
  await check(t, page);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Reply' }).click();
  await page.keyboard.type('/');
  await page.getByRole('listbox', { name: 'Canned replies' }).getByRole('option').first().waitFor();
  await check(t, page);
  await page.keyboard.press('Backspace');
  await page.getByRole('button', { name: /^Assigned to / }).click();
  await page.getByRole('menu').waitFor();
  await check(t, page);
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('full');
  const found = page.getByRole('listbox', { name: 'What was found' });
  await found.getByRole('option', { name: /^Full/ }).first().waitFor();
  await check(t, page);
});

t.test('notices', async t => {
  const page = await openConsole(t, browser, setting, owner, { path: '/console/settings' });
  await page.addInitScript(`
    window.shown = [];
    window.Notification = class {
      static permission = 'granted';
      static async requestPermission() { return 'granted'; }
      constructor(title, options) { window.shown.push({ title, body: options.body ?? '' }); }
    };`);
  await page.reload();
  await page.getByRole('switch', { name: 'Desktop notifications' }).click();
  await page.getByRole('switch', { name: 'Include the message text' }).click();
  await page.goto(`${setting.baseUrl}/console/${projectId}/${environmentId}/all`);
  await page.getByText('Online').waitFor();
  await page.evaluate(`document.hasFocus = () => false; dispatchEvent(new Event('blur'))`);
  await receive(setting, 'new', hostile.slice(0, 16_000), `New ${cut(250)}`);
  await eventually('notice', async () => (await page.evaluate<unknown[]>('window.shown')).length > 0);
  const [notice] = await page.evaluate<{ title: string; body: string }[]>('window.shown');
  t.notMatch(`${notice?.title} ${notice?.body}`, directions);
  t.ok((notice?.title.length ?? 0) <= 300 && (notice?.body.length ?? 0) <= 1_000, 'a notice is short');
  await check(t, page);
});

t.test('a message keeps its directions to itself, and each of its lines has its own', async t => {
  const lines = ['Hello', '\u05E9\u05DC\u05D5\u05DD', 'abc\u202Edef https://example.com/gnp'];
  const threadId = await receive(setting, 'directions', lines.join('\n'), 'Directions');
  const page = await openConsole(t, browser, setting, owner, { path: '/console/settings' });
  await page.goto(at(threadId));
  const message = page.getByRole('log', { name: 'Messages' }).locator('[data-message]');
  await message.waitFor();
  /** How far from the left the character stands in the text of the message. */
  const place = (character: string): Promise<number> =>
    page.evaluate<number>(`(() => {
      const text = document.querySelector('[role=log] [data-message] [dir=auto]');
      const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const index = node.textContent.indexOf(${JSON.stringify(character)});
        if (index === -1) continue;
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        return range.getBoundingClientRect().x;
      }
      return NaN;
    })()`);
  t.ok((await place('\u05E9')) > (await place('o')), 'a line of another script begins at the other side');
  t.ok((await place('H')) < (await place('o')), 'the one before it reads as it is written');
  t.ok((await place('d')) > (await place('f')), 'what turns the direction turns its own line');
  t.ok((await place('h')) < (await place('x')), 'a link reads as it leads, whatever stands before it');
});

t.test('of a word without end that an agent is writing, the end is shown', async t => {
  const threadId = await receive(setting, 'writing', 'Hello');
  const page = await openConsole(t, browser, setting, owner, {
    path: `/console/${projectId}/${environmentId}/all/${threadId}`,
  });
  await page.getByText('Online').waitFor();
  await page.getByRole('region', { name: 'Suggestion' }).waitFor();
  await receive(setting, 'writing', 'Write slowly');
  // Whole, it would keep the page from everything else for a minute.
  const readWriting = `document.querySelector('[role=log] [data-author=agent] [dir=auto]')?.textContent ?? ''`;
  let writing = '';
  await eventually('end of what is written', async () => {
    writing = await page.evaluate<string>(readWriting);
    return writing.startsWith('…W');
  });
  t.ok(writing.length <= 2_001, 'no more than the end');
  await page.getByRole('region', { name: 'Suggestion' }).waitFor();
});
