/** What the operator is told of conversations that they do not look at. */
import { MentionNotices } from '../mentions/mention-notice.tsx';
import { UnseenElsewhere } from '../thread/unseen-elsewhere.tsx';
import classes from './notices.module.css';

export default function Notices() {
  return (
    <div className={classes['notices']} role="status">
      <MentionNotices />
      <UnseenElsewhere />
    </div>
  );
}
