/* SPDX-License-Identifier: MIT */
/* What the Java recording runs: two threads, one of which computes and one of which waits. */
class Work {
	static long sum;

	static long collatz(long n)
	{
		long steps = 0;
		for (; n != 1; steps++)
			n = n % 2 == 0 ? n / 2 : 3 * n + 1;
		return steps;
	}

	static void compute(long end)
	{
		while (System.nanoTime() < end)
			for (long n = 1; n < 2000; n++)
				sum += collatz(n);
	}

	public static void main(String[] args) throws Exception
	{
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1000000;
		Thread other = new Thread(() -> {
			try {
				while (System.nanoTime() < end)
					Thread.sleep(5);
			} catch (InterruptedException e) {
			}
		}, "sleeper");
		other.start();
		compute(end);
		other.join();
	}
}
