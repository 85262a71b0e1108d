"""From the chunks of sources to batches of elements in the order of time"""
