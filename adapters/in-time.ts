/** Waiting no longer than a while. */

/** What a call answers within a time, otherwise what `late` answers or throws. The call goes on by itself. */
export async function within<Answer, Late>(
  milliseconds: number,
  call: Promise<Answer>,
  late: () => Late,
): Promise<Answer | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  }).then(late);
  try {
    return await Promise.race([call, over]);
  } finally {
    clearTimeout(timer);
  }
}
