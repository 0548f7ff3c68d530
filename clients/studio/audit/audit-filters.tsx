/** What narrows the audit log. */
import { useQuery } from '@tanstack/react-query';
import { skein } from '../../kit/browser-session.ts';
import { useEnvironments } from '../../kit/shell/environments.ts';
import type { WorkspaceMember } from '../../sdk/index.ts';
import { ChoiceFilter, DateFilter, TextFilter } from '../parts/filters.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import type { AuditSearch } from './audit-search.ts';

/** Others are chosen by the address. */
const mostProjects = 100;

interface AuditFiltersProps {
  readonly members: readonly WorkspaceMember[];
  readonly search: AuditSearch;
  readonly onChange: (changed: Partial<AuditSearch>) => void;
}

export function AuditFilters({ members, search, onChange }: AuditFiltersProps) {
  const texts = useTexts().audit;
  const { data: places = [] } = useEnvironments();
  const { workspaceId } = useTenant();
  const { data: projects = [] } = useQuery({
    queryKey: ['projects', workspaceId, 'choices'],
    queryFn: () => skein.projects.list({ workspaceId, limit: 100 }).toArray(mostProjects),
  });
  return (
    <>
      <TextFilter
        label={texts.action}
        placeholder={texts.actionHint}
        value={search.action}
        onChange={action => onChange({ action })}
      />
      <ChoiceFilter
        label={texts.actor}
        any={texts.anybody}
        width={200}
        value={search.actor}
        onChange={actor => onChange({ actor })}
        choices={members.map(({ userId, email }) => ({ value: userId, label: email }))}
      />
      <TextFilter label={texts.target} value={search.target} onChange={target => onChange({ target })} />
      <ChoiceFilter
        label={texts.project}
        any={texts.anyProject}
        value={search.project}
        // An environment belongs to one project.
        onChange={project => onChange({ project, environment: undefined })}
        choices={projects.map(({ projectId, name }) => ({ value: projectId, label: name }))}
      />
      {search.project !== undefined && (
        <ChoiceFilter
          label={texts.environment}
          any={texts.anyEnvironment}
          value={search.environment}
          onChange={environment => onChange({ environment })}
          choices={places
            .filter(({ projectId }) => projectId === search.project)
            .map(each => ({ value: each.environmentId, label: each.environmentName }))}
        />
      )}
      <DateFilter label={texts.since} value={search.since} onChange={since => onChange({ since })} />
      <DateFilter label={texts.until} value={search.until} onChange={until => onChange({ until })} />
    </>
  );
}
