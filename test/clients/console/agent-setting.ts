/** A Console account with an agent, whose model is a local server with a few answers. */
import { LLMock } from '@copilotkit/aimock';
import type { Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { type ConsoleSetting, shareConsole } from './console-page.ts';

/** The answer of the agent to a question for the hours. */
export const suggested = 'We open at nine and close at five.';

export const getCard = (page: Page): Locator => page.getByRole('region', { name: 'Suggestion' });
export const getLog = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });

export interface AgentSetting {
  readonly setting: ConsoleSetting;
  readonly model: LLMock;
  /** The loom of the agent. */
  readonly loomId: string;
}

/** Creates an agent in suggest mode for the channel of a new account. */
export async function startAgent(t: Test): Promise<AgentSetting> {
  const model = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
  model.on({ userMessage: /hours/ }, { content: suggested });
  model.on(
    { userMessage: /story/ },
    { content: 'Once upon a time there was a parcel that nobody had ordered.' },
    { latency: 120, chunkSize: 6 },
  );
  model.on(
    { userMessage: /human/ },
    {
      content: 'One moment.',
      toolCalls: [{ id: 'call_1', name: 'request_human', arguments: '{"reason":"Asks for a person"}' }],
    },
  );
  await model.start();
  t.teardown(() => model.stop());

  const setting = await shareConsole(t);
  const { skein, owner, projectId } = setting;
  await owner.api.byokCredentials.create({
    projectId,
    provider: 'llm_provider_1',
    displayName: 'Model',
    secret: setting.models.register(`${model.url}/v1`),
  });
  const { loomId } = await skein.looms.create({
    name: 'Front desk',
    systemPrompt: 'Answer shortly.',
    provider: 'llm_provider_1',
    model: 'gpt-4o-mini',
  });
  const { agentId } = await skein.agents.create({ name: 'Front desk', mode: 'suggest', loomId });
  await skein.channels.update(setting.channelId, { defaultAgentId: agentId });
  return { setting, model, loomId };
}
