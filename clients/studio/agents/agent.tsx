/** One agent: by which version it answers whom, and what became of what it has suggested. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { PageLink } from '../../kit/account/account-page.tsx';
import type { Agent } from '../../sdk/index.ts';
import { useLooms } from '../looms/use-looms.ts';
import { Facts } from '../parts/facts.tsx';
import { Page, Section } from '../parts/page.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Split } from './split.tsx';
import { Suggestions } from './suggestions.tsx';

export function AgentPage() {
  const texts = useTexts().agents;
  const { agentId } = useParams({ from: '/signed-in/$projectId/$environmentId/agents/$agentId' });
  const { client, projectId, environmentId } = useTenant();
  const { data: agent, error } = useQuery({
    queryKey: ['agents', environmentId, agentId],
    queryFn: () => client.agents.get(agentId),
  });
  const back = (
    <PageLink to="/$projectId/$environmentId/agents" params={{ projectId, environmentId }}>
      {texts.title}
    </PageLink>
  );
  if (agent === undefined) {
    return <PagePending back={back} error={error} missing={texts.missing} />;
  }
  const { name, mode, loomId, createdAt } = agent;
  return (
    <Page title={name} back={back}>
      <Facts
        facts={[
          [texts.mode, texts.modes[mode]],
          [texts.instructions, <Instructions key="instructions" agent={agent} />],
          [texts.created, <Time key="created" at={createdAt} />],
        ]}
      />
      {loomId != null && (
        <Section title={texts.split.title}>
          <Split agent={agent} loomId={loomId} />
        </Section>
      )}
      <Section title={texts.suggestions.title}>
        <Suggestions agentId={agentId} />
      </Section>
    </Page>
  );
}

function Instructions({ agent: { loomId } }: { readonly agent: Agent }) {
  const { projectId, environmentId } = useTenant();
  const { data: looms } = useLooms();
  if (loomId == null) return '–';
  return (
    <PageLink
      to="/$projectId/$environmentId/instructions/$loomId"
      params={{ projectId, environmentId, loomId }}
      search={{}}
    >
      <bdi>{looms?.find(each => each.loomId === loomId)?.name ?? loomId}</bdi>
    </PageLink>
  );
}
