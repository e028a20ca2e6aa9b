import classes from './tag-list.module.css';

interface TagListProps {
  readonly tags: readonly string[];
  /** Shows at most so many tags, and the number of the others; all by default. */
  readonly limit?: number;
}

/** The tags of an exchange. */
export function TagList({ tags, limit = tags.length }: TagListProps) {
  const others = tags.slice(limit);
  return (
    <>
      {tags.slice(0, limit).map((tag) => (
        <span key={tag} className={classes['tag']} title={tag}>
          {tag}
        </span>
      ))}
      {others.length > 0 && (
        <span className={classes['tag']} title={others.join(', ')}>
          +{others.length}
        </span>
      )}
    </>
  );
}
