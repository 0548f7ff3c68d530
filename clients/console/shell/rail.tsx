/** The left side: where one works, and the queues with how many wait in each. */
import { Link, useNavigate } from '@tanstack/react-router';
import { AtSign } from 'lucide-react';
import icon from '../../kit/icon.svg';
import { EnvironmentSelect } from '../../kit/shell/environment-select.tsx';
import { SavedFilterList } from '../list/saved-filter-list.tsx';
import { isSameFilter } from '../list/saved-filters.ts';
import { useFilters } from '../list/use-filters.ts';
import { useSavedFilters } from '../list/use-saved-filters.ts';
import { contractNames, countedQueueNames, isCounted, type QueueName } from '../live/queues.ts';
import { useQueueCounts } from '../live/use-queue-counts.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { useFormats } from '../../kit/use-formats.ts';
import { useTexts } from '../texts/index.ts';
import { queueIcons } from './queue-icons.ts';
import classes from './rail.module.css';

/** Something is wrong where one of these is not empty. */
const urgent: ReadonlySet<QueueName> = new Set(['failed', 'closing']);

interface RailProps {
  readonly queue: QueueName | 'mentions';
  readonly onChosen?: () => void;
}

export function Rail({ queue, onChosen }: RailProps) {
  const { shell: texts, mentions: mentionTexts } = useTexts();
  const formats = useFormats();
  const { projectId, environmentId } = useConversing();
  const navigate = useNavigate();
  const counts = useQueueCounts();
  const { saved } = useSavedFilters();
  const { filters } = useFilters();
  const shown =
    queue !== 'mentions' && isCounted(queue)
      ? saved.find(each => isSameFilter(each, { queue, filters }))
      : undefined;
  return (
    <nav className={classes['rail']} aria-label={texts.queuesLabel}>
      {/* In a drawer it has a title already. */}
      {onChosen === undefined && (
        <div className={classes['brand']}>
          <img src={icon} alt="" width={20} height={20} />
          {texts.appName}
        </div>
      )}
      <EnvironmentSelect
        place={{ projectId, environmentId }}
        onChosen={chosen =>
          void navigate({
            to: '/$projectId/$environmentId/$queue',
            params: { projectId: chosen.projectId, environmentId: chosen.environmentId, queue: 'all' },
            search: {},
          })
        }
      />
      <ul className={classes['queues']}>
        {countedQueueNames.map(name => {
          const Icon = queueIcons[name];
          const found = counts?.[contractNames[name]];
          return (
            <li key={name}>
              <Link
                className={classes['queue']}
                to="/$projectId/$environmentId/$queue"
                params={{ projectId, environmentId, queue: name }}
                search={{}}
                aria-current={queue === name && shown === undefined ? 'page' : undefined}
                onClick={onChosen}
              >
                <Icon size={16} strokeWidth={1.7} aria-hidden />
                <span className={classes['name']}>{texts.queues[name]}</span>
                {found !== undefined && found.count > 0 && (
                  <span className={classes['count']} data-urgent={urgent.has(name) || undefined}>
                    {formats.number(found.count)}
                    {found.more && '+'}
                  </span>
                )}
              </Link>
            </li>
          );
        })}
        <li>
          <Link
            className={classes['queue']}
            to="/$projectId/$environmentId/$queue"
            params={{ projectId, environmentId, queue: 'mentions' }}
            search={{}}
            aria-current={queue === 'mentions' ? 'page' : undefined}
            onClick={onChosen}
          >
            <AtSign size={16} strokeWidth={1.7} aria-hidden />
            <span className={classes['name']}>{mentionTexts.title}</span>
            {counts !== undefined && counts.mentions.count > 0 && (
              <span className={classes['count']} data-urgent>
                {formats.number(counts.mentions.count)}
                {counts.mentions.more && '+'}
              </span>
            )}
          </Link>
        </li>
      </ul>
      <SavedFilterList
        shown={shown?.name}
        rowClass={classes['queue']}
        nameClass={classes['name']}
        onChosen={onChosen}
      />
    </nav>
  );
}
