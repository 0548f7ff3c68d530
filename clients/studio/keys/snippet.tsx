/** A first call, ready to be pasted: the key is taken from the environment, and read into it, so that it stands in no history of a shell. */
import { Stack, Tabs, Text } from '@mantine/core';
import { Copyable } from '../parts/secret.tsx';
import { useTexts } from '../texts/index.ts';

/** In bash and zsh. */
const readKey = 'read -rs SKEIN_API_KEY && export SKEIN_API_KEY';

export function Snippet() {
  const texts = useTexts().keys.snippet;
  const snippets = {
    curl: `curl -H "Authorization: Bearer $SKEIN_API_KEY" ${location.origin}/v1/threads`,
    sdk: `import { Skein } from '@skein/sdk';\n\nconst skein = new Skein({ baseUrl: '${location.origin}' });\nfor await (const thread of skein.threads.list()) console.log(thread.threadId);`,
    cli: `npx skein --base-url ${location.origin} threads list`,
  };
  return (
    <Stack gap={6}>
      <Text size="sm">{texts.prepare}</Text>
      <Copyable label={texts.copyPreparation} text={readKey} />
      <Text size="sm">{texts.about}</Text>
      <Tabs defaultValue="curl">
        <Tabs.List>
          {(['curl', 'sdk', 'cli'] as const).map(each => (
            <Tabs.Tab key={each} value={each}>
              {texts[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {(['curl', 'sdk', 'cli'] as const).map(each => (
          <Tabs.Panel key={each} value={each} pt="xs">
            <Copyable label={texts.copy} text={snippets[each]} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
