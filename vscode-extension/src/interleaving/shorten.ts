// Names in little room.

/** An operation's name in so many characters: what tells objects apart stands at their ends. */
export function shortened(operation: string, object: string, most: number): string {
  const whole = object === '' ? operation : `${operation} ${object}`;
  const room = most - operation.length - 2;
  if (whole.length <= most || object === '') {
    return whole;
  }
  return room < 3 ? `${whole.slice(0, Math.max(1, most - 1))}…` : `${operation} …${object.slice(-room)}`;
}
