"""
SQS event sources of this edition invoke their function with one batch at a time: here with `ScalingConfig.MaximumConcurrency`
batches. Messages are received only when there is room, because a receive counts.
"""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

from localstack.services.lambda_.event_source_mapping.esm_worker import EsmWorker
from localstack.services.lambda_.event_source_mapping.esm_worker_factory import EsmWorkerFactory
from localstack.services.lambda_.event_source_mapping.pollers.sqs_poller import SqsPoller

LOG = logging.getLogger("stand_ins.queue_concurrency")


def install() -> None:
    get_worker = EsmWorkerFactory.get_esm_worker

    def get_concurrent_worker(self: EsmWorkerFactory) -> EsmWorker:
        worker = get_worker(self)
        concurrency = self.esm_config.get("ScalingConfig", {}).get("MaximumConcurrency")
        if concurrency is not None and isinstance(worker.poller, SqsPoller):
            LOG.info("%s: up to %d concurrent batches", worker.poller.source_arn, concurrency)
            handle_concurrently(worker.poller, int(concurrency))
        return worker

    EsmWorkerFactory.get_esm_worker = get_concurrent_worker


def handle_concurrently(poller: SqsPoller, concurrency: int) -> None:
    """The poller's thread receives; others wait for the function."""
    handle, close = poller.handle_messages, poller.close
    room = threading.Semaphore(concurrency)
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="queue-concurrency")

    def work(messages: list[dict]) -> None:
        try:
            handle(messages)
        except Exception as error:
            # The messages stay in the queue and come back when their visibility timeout has passed.
            LOG.warning("%s: a batch failed: %s", poller.source_arn, error)
        finally:
            room.release()

    def start_work(messages: list[dict]) -> None:
        room.acquire()
        pool.submit(work, messages)
        # The poller receives again when this returns: not before the next batch has room.
        with room:
            pass

    def stop() -> None:
        close()
        pool.shutdown(wait=False, cancel_futures=True)

    poller.handle_messages, poller.close = start_work, stop
